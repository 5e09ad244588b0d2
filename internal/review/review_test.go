package review

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/base/outputschema"
	"agent/internal/text/textdiff"
)

const aDiff = `diff --git a/a b.go b/a b.go
index 1..2 100644
--- a/a b.go	
+++ b/a b.go	
@@ -10,4 +10,5 @@ func f() {
 	x := 1
-	old()
+	new()
+	--- a/no header
 	return

diff --git a/gone.go b/gone.go
--- a/gone.go
+++ /dev/null
@@ -1,2 +0,0 @@
-package gone
-// end
`

func TestCheck(t *testing.T) {
	t.Parallel()
	one := func(file, quote string) Finding {
		return Finding{File: file, Severity: "error", Title: "t", Detail: "d", Quote: quote}
	}
	for name, tc := range map[string]struct {
		file, quote string
		line, end   int
		removed     bool
	}{
		"added":            {"a b.go", "	new()", 11, 11, false},
		"without blanks":   {"a b.go", "new()\n--- a/no header\nreturn\n", 11, 13, false},
		"removed":          {"a b.go", "old()", 11, 11, true},
		"context":          {"a b.go", "x := 1\nnew()", 10, 11, false},
		"of a gone file":   {"gone.go", "// end", 2, 2, true},
		"not there":        {"a b.go", "other()", 0, 0, false},
		"a part of a line": {"a b.go", "new(", 0, 0, false},
		"not neighbours":   {"a b.go", "x := 1\nreturn", 0, 0, false},
		"across the sides": {"a b.go", "old()\nnew()", 0, 0, false},
		"nothing":          {"a b.go", " \n", 0, 0, false},
		"another file":     {"b.go", "new()", 0, 0, false},
	} {
		answer, _ := json.Marshal(Findings{[]Finding{one(tc.file, tc.quote)}})
		kept, dropped, err := Check(answer, aDiff)
		if err != nil || len(kept.Findings)+len(dropped) != 1 || (len(kept.Findings) == 1) != (tc.line > 0) {
			t.Errorf("%s: %v, %q, %v", name, kept, dropped, err)
			continue
		}
		if tc.line > 0 && (kept.Findings[0].Line != tc.line || kept.Findings[0].EndLine != tc.end || kept.Findings[0].Removed != tc.removed) {
			t.Errorf("%s stands at %+v", name, kept.Findings[0])
		}
	}
}

// TestQuotesOfAnyDiff draws changes and quotes. A quote is kept exactly if its lines are adjacent
// on one side of a hunk. Its line number is the number on that side.
func TestQuotesOfAnyDiff(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "+c", "- d", "@@ -1 +1 @@", "--- a/x", "+++ b/x", "e e"})
		text := func(label string) []string { return rapid.SliceOfN(line, 1, 12).Draw(t, label) }
		before, after := text("before"), text("after")
		diff := textdiff.New(strings.Join(before, "\n")+"\n", strings.Join(after, "\n")+"\n").Unified("a/f.go", "b/f.go")
		quote := rapid.SliceOfN(line, 1, 3).Draw(t, "quote")
		answer, _ := json.Marshal(Findings{[]Finding{{File: "f.go", Quote: strings.Join(quote, "\n")}}})
		kept, _, err := Check(answer, diff)
		if err != nil {
			t.Fatal(err)
		}
		if len(kept.Findings) == 1 {
			f := kept.Findings[0]
			of := after
			if f.Removed {
				of = before
			}
			if f.EndLine > len(of) || strings.Join(of[f.Line-1:f.EndLine], "\n") != strings.Join(quote, "\n") {
				t.Fatalf("%q is said to be at %d-%d of %q", quote, f.Line, f.EndLine, of)
			}
			return
		}
		for _, hunk := range strings.Split("\n"+diff, "\n@@ -")[1:] {
			for _, sign := range []string{"-", "+"} {
				var shown []string
				for i, l := range strings.Split(strings.TrimSuffix(hunk, "\n"), "\n") {
					if i > 0 && (strings.HasPrefix(l, sign) || strings.HasPrefix(l, " ")) {
						shown = append(shown, l[1:])
					}
				}
				if strings.Contains("\n"+strings.Join(shown, "\n")+"\n", "\n"+strings.Join(quote, "\n")+"\n") && !strings.Contains(fmt.Sprint(before, after), "@@") {
					t.Fatalf("%q stands in\n%s\nand is dropped", quote, diff)
				}
			}
		}
	})
}

func TestSchemaAndSARIF(t *testing.T) {
	t.Parallel()
	schema, err := outputschema.Parse([]byte(Schema))
	if err != nil || schema.Strict() == nil {
		t.Fatal(err)
	}
	if _, err := schema.ParseAnswer(`{"findings":[{"file":"a","severity":"error","title":"t","detail":"d","quote":"q"}]}`); err != nil {
		t.Error(err)
	}
	text, err := Findings{[]Finding{{File: "a b.go", Line: 3, EndLine: 4, Severity: "warning", Title: "t", Detail: "d", Quote: "q"}}}.SARIF("1")
	var read struct {
		Runs []struct {
			Results []struct {
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, EndLine int }
					}
				}
			}
		}
	}
	if err != nil || json.Unmarshal(text, &read) != nil {
		t.Fatal(err)
	}
	place := read.Runs[0].Results[0].Locations[0].PhysicalLocation
	if read.Runs[0].Results[0].Level != "warning" || place.ArtifactLocation.URI != "a%20b.go" || place.Region.StartLine != 3 || place.Region.EndLine != 4 {
		t.Errorf("%s", text)
	}
}
