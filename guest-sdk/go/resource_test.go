package framework_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"berth.dev/framework"
)

func TestAListOfResourcesIsReadFromJSON(t *testing.T) {
	resource := framework.Resource{Memory: 1, ScalarResources: map[string]int64{"example.com/old": 1}}
	list := `{"cpu": "1.5", "memory": "1Gi", "ephemeral-storage": "2k", "pods": 3, "nvidia.com/gpu": "4"}`
	if err := json.Unmarshal([]byte(list), &resource); err != nil {
		t.Fatal(err)
	}
	if resource.MilliCPU != 1500 || resource.Memory != 1<<30 || resource.EphemeralStorage != 2000 || resource.AllowedPodNumber != 3 {
		t.Errorf("%+v", resource)
	}
	if !maps.Equal(resource.ScalarResources, map[string]int64{"nvidia.com/gpu": 4}) {
		t.Errorf("%+v", resource.ScalarResources)
	}
	for list, part := range map[string]string{`{"cpu": "lots"}`: `cpu: "lots"`, `{"memory": {}}`: "memory", `[]`: "resources"} {
		if err := json.Unmarshal([]byte(list), &resource); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", list, err)
		}
	}
}
