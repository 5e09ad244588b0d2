package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/settings"
)

// A terminal shows only the columns that fit. The names come first.
func TestModelTableFits(t *testing.T) {
	t.Parallel()
	rows := []modelRow{
		{Provider: "openrouter", ID: "deepseek/deepseek-v4-pro-0813", Window: 1_000_000, Prices: &settings.Prices{Input: 0.6599999999999999, Output: 1.98}, Efforts: []string{"none", "low", "high"}, Images: true, Family: "deepseek", Edits: "replace"},
		{Provider: "zai", ID: "glm-5", Family: "glm", Edits: "replace"},
	}
	for width, want := range map[int]string{
		0: "provider model window $ in/out/read/write efforts images family, edits by", 200: "provider model window $ in/out/read/write efforts images family, edits by",
		90: "provider model window $ in/out/read/write family, edits by", 70: "provider model window $ in/out/read/write", 60: "provider model window", 45: "provider model", 30: "model", 10: "model",
	} {
		lines := modelTable(rows, width)
		if got := strings.Join(strings.Fields(lines[0]), " "); got != want {
			t.Errorf("%d columns: %s, want %s", width, got, want)
		}
		if width > 0 && slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > width }) {
			t.Errorf("%d columns are not enough for\n%s", width, strings.Join(lines, "\n"))
		}
	}
	if got := modelTable([]modelRow{{ID: "one", Efforts: []string{"low"}}}, 0)[0]; strings.Join(strings.Fields(got), " ") != "model window $ in/out/read/write efforts images" {
		t.Errorf("without providers the columns are %q", got)
	}
	if got := modelTable([]modelRow{{ID: "gpt-5", Family: "gpt", Edits: "patch"}}, 0)[1]; !strings.HasSuffix(got, "  gpt, patch") {
		t.Errorf("the family in %q", got)
	}
	if got := modelTable(rows, 0)[1]; !strings.Contains(got, "  0.66 / 1.98 / 0 / 0  ") {
		t.Errorf("prices in %q", got)
	}
	if got := modelTable(rows, 10)[1]; got != "deepseek/…" {
		t.Errorf("cut to %q", got)
	}
}
