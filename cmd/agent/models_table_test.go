package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/settings"
)

// A terminal gets the columns that fit, the names before all others.
func TestModelTableFits(t *testing.T) {
	t.Parallel()
	rows := []modelRow{
		{Provider: "openrouter", ID: "deepseek/deepseek-v4-pro-0813", Window: 1_000_000, Prices: &settings.Prices{Input: 0.66, Output: 1.98}, Efforts: []string{"none", "low", "high"}, Images: true},
		{Provider: "zai", ID: "glm-5"},
	}
	for width, want := range map[int]string{
		0: "PROVIDER MODEL WINDOW PRICES EFFORTS IMAGES", 200: "PROVIDER MODEL WINDOW PRICES EFFORTS IMAGES",
		80: "PROVIDER MODEL WINDOW PRICES IMAGES", 70: "PROVIDER MODEL WINDOW PRICES", 60: "PROVIDER MODEL WINDOW", 45: "PROVIDER MODEL", 30: "MODEL", 10: "MODEL",
	} {
		lines := modelTable(rows, width)
		if got := strings.Join(strings.Fields(lines[0]), " "); got != want {
			t.Errorf("%d columns: %s, want %s", width, got, want)
		}
		if width > 0 && slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > width }) {
			t.Errorf("%d columns are not enough for\n%s", width, strings.Join(lines, "\n"))
		}
	}
	if got := modelTable(rows, 10)[1]; got != "deepseek/…" {
		t.Errorf("cut to %q", got)
	}
}
