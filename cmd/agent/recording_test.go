//go:build e2e

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changing is what differs between two runs of the demo, and what stands for it.
var changing = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`agent \S+ · demo at 127\.0\.0\.1:\d+ · \S+/demo`), "agent · demo at 127.0.0.1 · ~/demo"},
	{regexp.MustCompile(` \S*/demo$`), " ~/demo"},
	{regexp.MustCompile(`, [\d.]+(ms|s)$`), ""}, // only what takes long says how long
	{regexp.MustCompile(`^· (\d+m )?\d+s · `), "· 3s · "},
}

// The recording of the demo in docs is what it shows: `make frames` records it anew.
func TestTerminalDemoRecording(t *testing.T) {
	t.Parallel()
	s := newTerminal(t, 100, "", "demo")
	s.until("This is the demo")
	for _, question := range []string{"? run sh test.sh", "? edit till.sh", "? run sh test.sh", "? edit till.sh", "? run sh test.sh"} {
		s.read(question)
		s.keys("y")
		s.gone(question)
	}
	s.until("what else I can do.")
	s.until("> " + idle)
	lines := strings.Split(s.screen(), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		for _, c := range changing {
			line = c.pattern.ReplaceAllString(line, c.text)
		}
		lines[i] = line
	}
	got, file := strings.Join(lines, "\n")+"\n", filepath.Join("..", "..", "docs", "demo.txt")
	if os.Getenv("RECORD_DEMO") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withoutFigures(string(want)), withoutFigures(got)); diff != "" {
		t.Errorf("docs/demo.txt is not what the demo shows; make frames records it anew (-file +program):\n%s", diff)
	}
}

// figures are the numbers of lines that tell tokens and times, which depend on the name
// of the scratch workspace and on the machine.
var figures = regexp.MustCompile(`(?m)(^(≈|·|demo ·).*| · saved \S+)$`)

func withoutFigures(text string) string {
	number := regexp.MustCompile(`[\d.]+k?`)
	return figures.ReplaceAllStringFunc(text, func(line string) string { return number.ReplaceAllString(line, "N") })
}
