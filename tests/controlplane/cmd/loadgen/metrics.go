package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// The scheduler makes its own certificate at its start, so the certificate can't be verified.
var insecure = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// get returns the body of an answer with status 200.
func get(url string) ([]byte, error) {
	response, err := insecure.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", url, response.Status)
	}
	return body, err
}

// algorithmMetric is the histogram of the time, in seconds, that the scheduler takes to choose a node.
const algorithmMetric = "scheduler_scheduling_algorithm_duration_seconds"

// The other histograms of the scheduler whose averages are reported, with the labels by which the averages are split.
var histograms = []struct {
	key, metric string
	by          []string
}{
	{"attempt", "scheduler_scheduling_attempt_duration_seconds", []string{"result"}},
	{"sli", "scheduler_pod_scheduling_sli_duration_seconds", nil},
	{"ext_point", "scheduler_framework_extension_point_duration_seconds", []string{"extension_point", "status"}},
	{"plugin", "scheduler_plugin_execution_duration_seconds", []string{"extension_point", "plugin"}},
}

// scrapeMetrics adds the averages of the scheduler's histograms to the result.
func scrapeMetrics(o *options, r *result) error {
	body, err := get(o.metricsURL)
	if err != nil {
		return err
	}
	if o.metricsOut != "" {
		if err := os.WriteFile(o.metricsOut, body, 0o644); err != nil {
			return err
		}
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", o.metricsURL, err)
	}
	if algorithm := families[algorithmMetric].GetMetric(); len(algorithm) > 0 {
		h := algorithm[0].GetHistogram()
		r.number("algorithm_us", h.GetSampleSum()/float64(h.GetSampleCount())*1e6)
	}
	for _, h := range histograms {
		r.values[h.key] = averages(families[h.metric], h.by)
	}
	return nil
}

// averages returns the averages of a histogram, one for each combination of the labels' values: "12.3us x 2000".
func averages(family *dto.MetricFamily, by []string) map[string]string {
	type total struct {
		sum   float64
		count uint64
	}
	totals := map[string]total{}
	for _, metric := range family.GetMetric() {
		key := labelValues(metric, by)
		t := totals[key]
		t.sum += metric.GetHistogram().GetSampleSum()
		t.count += metric.GetHistogram().GetSampleCount()
		totals[key] = t
	}
	averages := map[string]string{}
	for key, t := range totals {
		if t.count > 0 {
			averages[key] = fmt.Sprintf("%.1fus x %d", t.sum/float64(t.count)*1e6, t.count)
		}
	}
	return averages
}

func labelValues(metric *dto.Metric, names []string) string {
	values := make([]string, len(names))
	for _, label := range metric.GetLabel() {
		for i, name := range names {
			if label.GetName() == name {
				values[i] = label.GetValue()
			}
		}
	}
	return strings.Join(values, "/")
}
