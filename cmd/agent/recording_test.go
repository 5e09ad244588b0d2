//go:build e2e

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/testing/svg"
)

// changingParts lists the parts of the demo that differ between two runs, and their replacements.
var changingParts = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(` +(?:\x1b\[[\d;]*m)*\S*/demo(?:\x1b\[[\d;]*m)*$`), "  ~/demo"},
	{regexp.MustCompile(`, [\d.]+(ms|s)$`), ""}, // only slow calls show their duration
	{regexp.MustCompile(`^((?:\x1b\[[\d;]*m)*[·✓](?:\x1b\[[\d;]*m)* (?:\x1b\[[\d;]*m)*)(\d+m )?\d+s`), "${1}3s"},
}

// title matches the first line of the demo. The line wraps if the version, the port and the name of
// the scratch workspace are long.
var title = regexp.MustCompile(strings.ReplaceAll(`agent \S+?((?:\x1b\[[\d;]*m)*) · ((?:\x1b\[[\d;]*m)*)demo at 127\.0\.0\.1:\d+((?:\x1b\[[\d;]*m)*)BREAK·BREAK\S+/demoBREAK·BREAKaskBREAK·BREAK/help`, "BREAK", `(?:\x1b\[[\d;]*m|\s)+`))

// demoPlayed plays the demo to its end.
func demoPlayed(t *testing.T, columns int, args ...string) *terminal {
	t.Helper()
	s := newTerminal(t, columns, "", append([]string{"demo"}, args...)...)
	s.until("This is the demo")
	for _, question := range []string{"? run sh test.sh", "? edit till.sh", "? run sh test.sh", "? edit till.sh", "? run sh test.sh"} {
		s.read(question)
		s.keys("y")
		s.gone(question)
	}
	s.until("what else I can do.")
	s.until("> " + idle)
	return s
}

// stableRows returns the rows of the screen without the parts that differ between two runs.
func stableRows(screen string) []string {
	screen = title.ReplaceAllString(screen, "agent${1} · ${2}demo at 127.0.0.1${3} · ~/demo · ask · /help")
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		for _, c := range changingParts {
			line = c.pattern.ReplaceAllString(line, c.text)
		}
		lines[i] = line
	}
	return lines
}

// The recording in docs equals the output of the demo. "make frames" updates it.
func TestTerminalDemoRecording(t *testing.T) {
	t.Parallel()
	s := demoPlayed(t, 100)
	file := filepath.Join("..", "..", "docs", "demo.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(page), "```text\n")
	if !found {
		t.Fatalf("%s has no block for the recording", file)
	}
	checkRecording(t, file, before+"```text\n"+strings.Join(stableRows(s.screen()), "\n")+"\n```\n")
}

// framesOf divides a recording into frames of an animation. There is one frame for each block of
// lines, which shows the end of the recording so far. Frames depend on the text and not on the
// clock, so two recordings give the same animation.
func framesOf(lines []string, rows int) (frames []svg.Frame) {
	const block, end = 0.8, 5
	for i := 1; i <= len(lines); i++ {
		shown := svg.Frame{Rows: lines[max(0, i-rows):i], Seconds: block}
		if i == len(lines) {
			shown.Seconds = end
		} else if ansi.Strip(lines[i]) != "" || ansi.Strip(lines[i-1]) == "" {
			continue
		}
		frames = append(frames, shown)
	}
	return frames
}

// The first picture of the README shows the demo, in the colors of a dark and of a light terminal.
// "make frames" updates it.
func TestTerminalDemoPictures(t *testing.T) {
	t.Parallel()
	const columns, rows = 92, 32
	for look, ground := range map[string]svg.Colors{"dark": svg.Dark, "light": svg.Light} {
		t.Run(look, func(t *testing.T) {
			t.Parallel()
			s := demoPlayed(t, columns, "--set", "theme="+look)
			out := s.tmux("capture-pane", "-e", "-p", "-S", "-")
			lines := stableRows(strings.TrimRight(out, "\n "))
			drawn := svg.Play(framesOf(lines, rows), columns, rows, ground)
			checkRecording(t, filepath.Join("..", "..", "docs", "frames", "turn-"+look+".svg"), drawn)
		})
	}
}

// checkRecording compares a recording with the file in docs. With RECORD_DEMO set it writes the
// file.
func checkRecording(t *testing.T, file, got string) {
	t.Helper()
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
		t.Errorf("%s is not what the demo shows; make frames records it anew (-file +program):\n%s", file, diff)
	}
}

// figures matches numbers of tokens, costs and times. They depend on the name of the scratch
// workspace and on the machine.
var figures = regexp.MustCompile(`(?m)(^(≈|·|✓ \d|demo ·).*| · pruned \S+)$|pruned [\d.]+k? tokens|\$0\.[\d.]+|\(\d+% → \d+%\)|[\d.]+k/[\d.]+k \d+%|cache \d+%`)

// places matches the place and the width of a text in a picture, which depend on the digits of the
// figures before it.
var places = regexp.MustCompile(` (x|textLength)="[\d.]+"`)

func withoutFigures(text string) string {
	number := regexp.MustCompile(`[\d.]+k?`)
	text = places.ReplaceAllString(text, "")
	return figures.ReplaceAllStringFunc(text, func(line string) string { return number.ReplaceAllString(line, "N") })
}
