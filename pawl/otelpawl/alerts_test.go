package otelpawl_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/pawldb/pawl/pawl/otelpawl"
)

// ruleFile is a rule file of Prometheus.
type ruleFile struct {
	Groups []struct {
		Name     string `yaml:"name"`
		Interval string `yaml:"interval"`
		Rules    []rule `yaml:"rules"`
	} `yaml:"groups"`
}

type rule struct {
	Record      string            `yaml:"record"`
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

var (
	declaredOutcome = regexp.MustCompile(`Outcome\w+\s+Outcome = "(\w+)"`)
	usedOutcomes    = regexp.MustCompile(`outcome(?:=~|!=|=)"([^"]+)"`)
	metricName      = regexp.MustCompile(`\bpawl[_:]\w+(?::\w+)*`)
)

// TestAlertRules holds the rule file to what there is to count: a rule over an
// outcome that nothing reports would never fire.
func TestAlertRules(t *testing.T) {
	text, err := os.ReadFile("../../docs/alerts.rules.yml")
	must(t, err)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var file ruleFile
	must(t, decoder.Decode(&file))
	source, err := os.ReadFile("../observer.go")
	must(t, err)
	var outcomes []string
	for _, m := range declaredOutcome.FindAllStringSubmatch(string(source), -1) {
		outcomes = append(outcomes, m[1])
	}
	page, err := os.ReadFile("../../docs/alerts.md")
	must(t, err)
	var known []string
	for _, counter := range []string{otelpawl.Operations, otelpawl.Upserted} {
		known = append(known, strings.ReplaceAll(counter, ".", "_")+"_total")
	}
	for _, group := range file.Groups {
		for _, r := range group.Rules {
			name := r.Record + r.Alert
			if (r.Record == "") == (r.Alert == "") || strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") {
				t.Errorf("%q is no rule: %s", name, r.Expr)
			}
			if r.Alert != "" && (r.Labels["severity"] == "" || r.Annotations["summary"] == "") {
				t.Errorf("%s says neither how bad it is nor what", name)
			}
			for _, m := range usedOutcomes.FindAllStringSubmatch(r.Expr, -1) {
				for _, outcome := range strings.Split(m[1], "|") {
					if !slices.Contains(outcomes, outcome) {
						t.Errorf("%s counts the outcome %q, which nothing reports", name, outcome)
					}
				}
			}
			for _, metric := range metricName.FindAllString(r.Expr, -1) {
				if !slices.Contains(known, metric) {
					t.Errorf("%s uses %s, which nothing before it makes", name, metric)
				}
			}
			if r.Record != "" {
				known = append(known, r.Record)
			}
			if !strings.Contains(string(page), name) {
				t.Errorf("docs/alerts.md does not tell of %s", name)
			}
		}
	}
}
