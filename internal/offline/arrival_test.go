package offline

import (
	"fmt"
	"strings"
	"testing"
)

// differentLines returns that many JSON-escaped lines. Consecutive lines differ.
func differentLines(lines int) string {
	var out strings.Builder
	for i := range lines {
		fmt.Fprintf(&out, "some words %c\\n", 'a'+i%26)
	}
	return out.String()
}

// In a replay, found-max-tokens cuts recorded results of commands and searches as in a live
// session. It does not cut file contents, or the variant that sends everything. 0 disables it.
func TestReplayCutsResults(t *testing.T) {
	t.Parallel()
	long := differentLines(165)
	input := func(tool, parameters string, flags ...string) (none, other int) {
		document := fmt.Sprintf(`{"workspaceRoot":"/w","history":[
			{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":%q,"parameters":%s}]},
			{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":%q,"result":"%s"}]},
			{"speaker":"ai","blocks":[{"type":"text","text":"done"}]}]}`, tool, parameters, tool, long)
		report := replayed(t, parse(t, document), flags...)
		return report.Variants[0].TotalInput, report.Variants[1].TotalInput
	}
	for _, c := range []struct {
		tool, parameters string
		cut              bool
	}{
		{"bash", `{"command":"make"}`, true},
		{"bash", `{"command":"cat a.go"}`, false},
		{"grep", `{"pattern":"x"}`, true},
		{"read", `{"path":"a.go"}`, false},
	} {
		whole, asWell := input(c.tool, c.parameters, "found-max-tokens=0")
		none, other := input(c.tool, c.parameters, "found-max-tokens=500")
		if none != whole || asWell != whole {
			t.Errorf("%s: %d and %d tokens were sent, without a limit %d", c.tool, none, asWell, whole)
		}
		if gone := whole - other; (gone > 1500) != c.cut || gone > 1750 || !c.cut && gone != 0 {
			t.Errorf("%s %s: %d tokens of %d were cut", c.tool, c.parameters, gone, whole)
		}
		if _, other := input(c.tool, c.parameters); (other < whole) != c.cut {
			t.Errorf("%s %s: %d tokens of %d were sent by default", c.tool, c.parameters, other, whole)
		}
	}
}

// A replay groups the output of commands as the shell tool does. It does not group lines of a file,
// because an edit could quote them.
func TestReplayGroupsResults(t *testing.T) {
	t.Parallel()
	hits := strings.Repeat(`internal/a/long/name.go:4:x\n`, 200)
	for command, shorter := range map[string]bool{"grep -rn x .": true, "sed -n 1,200p a | grep -n x": false} {
		document := fmt.Sprintf(`{"workspaceRoot":"/w","history":[
			{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"bash","parameters":{"command":%q}}]},
			{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"bash","result":"%s"}]},
			{"speaker":"ai","blocks":[{"type":"text","text":"done"}]}]}`, command, hits)
		report := replayed(t, parse(t, document), "found-max-tokens=8000")
		if less := report.Variants[0].TotalInput - report.Variants[1].TotalInput; (less > 800) != shorter || !shorter && less > 0 {
			t.Errorf("%s: %d tokens less", command, less)
		}
	}
}

func TestHeadAndTail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, text string
		limit    int
		want     string
	}{
		{"whole lines", strings.Repeat("line\n", 20), 24, "line\nline\n[81 bytes left out here]\nline\nline\n"},
		{"one long line", strings.Repeat("x", 100), 20, "xxxxxxxxxx\n[80 bytes left out here]\nxxxxxxxxxx"},
		{"letters stay whole", strings.Repeat("é", 50), 22, "ééééé\n[78 bytes left out here]\nééééé"},
	} {
		if got := headAndTail(c.text, c.limit); got != c.want {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
}

// A replay that compares with the sent requests omits line numbers on both sides, and cuts long
// answers on both sides.
func TestReplayAgainstSent(t *testing.T) {
	t.Parallel()
	view, long := strings.Repeat("  12|\\tsome words\\n", 200), differentLines(1500)
	document := fmt.Sprintf(`{"workspaceRoot":"/w","history":[
		{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"read_file","parameters":{"file_path":"a.go"}},{"type":"tool_call","id":"2","name":"bash","parameters":{"command":"make"}}]},
		{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"read_file","result":"%s"},{"type":"tool_response","callId":"2","toolName":"bash","result":"%s"}]},
		{"speaker":"ai","blocks":[{"type":"text","text":"done"}]}]}`, view, long)
	in := parse(t, document)
	recorded := replayed(t, in, "found-max-tokens=1000")
	in.Against = AsSent
	sent := replayed(t, in, "found-max-tokens=1000")
	for i := range sent.Variants {
		if less := recorded.Variants[i].TotalInput - sent.Variants[i].TotalInput; less < 400 {
			t.Errorf("%s: %d tokens less without numbers", sent.Variants[i].Name, less)
		}
	}
	none, other := sent.Variants[0].TotalInput, sent.Variants[1].TotalInput
	if cut := recorded.Variants[0].TotalInput - none; cut < 1400 {
		t.Errorf("the reference is %d tokens smaller", cut)
	}
	if diff := none - other; diff < 900 || diff > 1100 {
		t.Errorf("a bound of 1000 tokens makes %d tokens of difference to the reference", diff)
	}
}

// A replay replaces a large file by its outline. Before an edit that quotes its middle, it adds
// another read of the lines around the quote.
func TestReplayOutlinesLargeFiles(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("package big\n")
	for i := range 400 {
		fmt.Fprintf(&text, "\n// Value%d is a value.\nfunc Value%[1]d() int {\n\treturn %[1]d\n}\n", i)
	}
	document := func(asked string) string {
		return fmt.Sprintf(`{"workspaceRoot":"/w","history":[
			{"speaker":"human","blocks":[{"type":"text","text":%q}]},
			{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"read_file","parameters":{"file_path":"large.go"}}]},
			{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"read_file","result":%q}]},
			{"speaker":"ai","blocks":[{"type":"tool_call","id":"2","name":"replace","parameters":{"file_path":"large.go","old_string":"\treturn 200","new_string":"\treturn 7"}}]},
			{"speaker":"tool","blocks":[{"type":"tool_response","callId":"2","toolName":"replace","result":"Replaced once in large.go: line 1203, +1 -1"}]},
			{"speaker":"ai","blocks":[{"type":"text","text":"done"}]}]}`, asked, text.String())
	}
	account := func(asked string, flags ...string) Account {
		report := replayed(t, parse(t, document(asked)), flags...)
		return report.Variants[1]
	}
	whole, outlined := account("change it"), account("change it", "read-outline-tokens=3000")
	if whole.Blinded != 0 || outlined.Blinded != 1 || outlined.Requests != whole.Requests+1 {
		t.Errorf("%d and %d quotes are read again, in %d and %d requests", whole.Blinded, outlined.Blinded, whole.Requests, outlined.Requests)
	}
	if outlined.PeakInput > whole.PeakInput/2 {
		t.Errorf("%d tokens at most with the outline, %d without", outlined.PeakInput, whole.PeakInput)
	}
	if named, plain := account("change large.go", "read-outline-tokens=3000"), account("change large.go"); named.TotalInput != plain.TotalInput {
		t.Errorf("%d tokens of a file that the user names, %d without outlines", named.TotalInput, plain.TotalInput)
	}
	if plan := account("change large.go"+strings.Repeat(", then test it", 100), "read-outline-tokens=3000"); plan.Blinded != 1 {
		t.Error("a plan that names a file asks for all of it")
	}
}
