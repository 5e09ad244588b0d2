package review

import (
	"encoding/json"
	"net/url"

	"agent/internal/base/rawjson"
)

// SARIF returns the findings in the Static Analysis Results Interchange Format, version 2.1.0.
func (f Findings) SARIF(version string) (json.RawMessage, error) {
	type object = map[string]any
	results := []object{}
	for _, finding := range f.Findings {
		results = append(results, object{
			"ruleId": "review", "level": finding.Severity,
			"message": object{"text": finding.Title + "\n\n" + finding.Detail},
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": object{"uri": (&url.URL{Path: finding.File}).EscapedPath(), "uriBaseId": "%SRCROOT%"},
				"region": object{
					"startLine": max(finding.Line, 1), "endLine": max(finding.EndLine, 1), "snippet": object{"text": finding.Quote},
				},
			}}},
		})
	}
	return rawjson.Marshal(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":    object{"driver": object{"name": "agent", "version": version, "rules": []object{{"id": "review", "shortDescription": object{"text": "a finding of a review by a model"}}}}},
			"results": results,
		}},
	})
}
