package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	group        = "scheduling.x-k8s.io"
	groupVersion = group + "/v1alpha1"
)

// resources maps the resources that the server has to their kinds.
var resources = map[string]string{"podgroups": "PodGroup", "elasticquotas": "ElasticQuota"}

// server is a small API server on the loopback interface, because the plugins create their own client. It serves
// discovery, lists and watches of PodGroups and ElasticQuotas.
type server struct {
	http *httptest.Server

	mu sync.Mutex
	// The objects by resource, and by namespace and name.
	objects map[string]map[string]*unstructured.Unstructured
	// All changes so far. The resource version of an object is the number of changes including the object's last one.
	changes []change
	// Closed and replaced at each change.
	changed chan struct{}
}

type change struct {
	resource string
	event    metav1.WatchEvent
}

func newServer() *server {
	s := &server{objects: map[string]map[string]*unstructured.Unstructured{}, changed: make(chan struct{})}
	for resource := range resources {
		s.objects[resource] = map[string]*unstructured.Unstructured{}
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

func keyOf(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

func resourceOf(kind string) (string, error) {
	for resource, served := range resources {
		if served == kind {
			return resource, nil
		}
	}
	return "", fmt.Errorf("objects of kind %q are not served", kind)
}

// set adds or replaces the object.
func (s *server) set(object *unstructured.Unstructured) error {
	return s.change(object, func(known bool) (string, error) {
		if known {
			return "MODIFIED", nil
		}
		return "ADDED", nil
	})
}

// remove removes the object.
func (s *server) remove(object *unstructured.Unstructured) error {
	return s.change(object, func(known bool) (string, error) {
		if !known {
			return "", fmt.Errorf("%s %s does not exist", object.GetKind(), keyOf(object))
		}
		return "DELETED", nil
	})
}

func (s *server) change(object *unstructured.Unstructured, kind func(known bool) (string, error)) error {
	resource, err := resourceOf(object.GetKind())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := keyOf(object)
	before, known := s.objects[resource][key]
	event, err := kind(known)
	if err != nil {
		return err
	}
	object = object.DeepCopy()
	if event == "DELETED" {
		object = before.DeepCopy()
		delete(s.objects[resource], key)
	} else {
		s.objects[resource][key] = object
	}
	object.SetResourceVersion(strconv.Itoa(len(s.changes) + 1))
	raw, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	made := change{resource: resource, event: metav1.WatchEvent{Type: event}}
	made.event.Object.Raw = raw
	s.changes = append(s.changes, made)
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	resource, found := strings.CutPrefix(r.URL.Path, "/apis/"+groupVersion+"/")
	switch query := r.URL.Query(); {
	case r.URL.Path == "/api":
		reply(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}})
	case r.URL.Path == "/apis":
		reply(w, metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{apiGroup()}})
	case r.URL.Path == "/apis/"+group:
		reply(w, apiGroup())
	case r.URL.Path == "/apis/"+groupVersion:
		reply(w, apiResources())
	case !found || resources[resource] == "":
		http.NotFound(w, r)
	case query.Get("sendInitialEvents") != "":
		// The client then lists and watches.
		w.WriteHeader(http.StatusUnprocessableEntity)
		reply(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Reason: metav1.StatusReasonInvalid, Code: http.StatusUnprocessableEntity})
	case query.Get("watch") != "":
		s.watch(w, r, resource)
	default:
		s.list(w, resource)
	}
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	// A client that is gone needs no answer.
	_ = json.NewEncoder(w).Encode(value)
}

func apiGroup() metav1.APIGroup {
	version := metav1.GroupVersionForDiscovery{GroupVersion: groupVersion, Version: "v1alpha1"}
	return metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: group,
		Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version}
}

func apiResources() metav1.APIResourceList {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: groupVersion}
	for resource, kind := range resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: resource, Kind: kind, Namespaced: true,
			Verbs: metav1.Verbs{"get", "list", "watch"}})
	}
	return list
}

func (s *server) list(w http.ResponseWriter, resource string) {
	s.mu.Lock()
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{}}
	list.SetAPIVersion(groupVersion)
	list.SetKind(resources[resource] + "List")
	list.SetResourceVersion(strconv.Itoa(len(s.changes)))
	for _, object := range s.objects[resource] {
		list.Items = append(list.Items, *object.DeepCopy())
	}
	s.mu.Unlock()
	reply(w, list)
}

// watch sends all changes after the resource version, and the changes to come, until the client is gone.
func (s *server) watch(w http.ResponseWriter, r *http.Request, resource string) {
	sent, err := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	for {
		s.mu.Lock()
		changes, changed := s.changes[sent:], s.changed
		s.mu.Unlock()
		for _, change := range changes {
			if change.resource != resource {
				continue
			}
			if err := encoder.Encode(change.event); err != nil {
				return
			}
		}
		sent += len(changes)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *server) close() {
	s.http.CloseClientConnections()
	s.http.Close()
}
