package svg_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"agent/internal/testing/svg"
)

// An animated picture is valid XML, contains each row once, and shows its frames in order. The last
// frame does not change.
func TestPlay(t *testing.T) {
	t.Parallel()
	got := svg.Play([]svg.Frame{{[]string{"> a & b"}, 1}, {[]string{"> a & b", "\x1b[1mdone\x1b[0m"}, 3}}, 20, 2, svg.Dark)
	for _, part := range []string{
		"@keyframes f0{0%{visibility:hidden}0.00%{visibility:visible}25.00%{visibility:hidden}}",
		"@keyframes f1{0%{visibility:hidden}25.00%{visibility:visible}100.00%{visibility:hidden}}",
		"#f0{visibility:hidden}", "#f1{visibility:visible}", "f1 4.0s step-end infinite", `<use href="#r1" y="32"/>`, "a &amp; b",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in\n%s", part, got)
		}
	}
	if n := strings.Count(got, "a &amp; b"); n != 1 {
		t.Errorf("the row is drawn %d times", n)
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
