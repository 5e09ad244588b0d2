package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const small = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a1",
   "metadata": {"k": 1.50},
   "source": [
    "# T\u00eftle\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "b2",
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["one\n", "two\n"]},
    {"data": {"image/png": "AAAA", "text/plain": ["<Figure>"]}, "output_type": "display_data", "metadata": {}},
    {"ename": "KeyError", "evalue": "'x'", "output_type": "error", "traceback": ["…"]}
   ],
   "source": "print(1)\nprint(2)"
  }
 ],
 "metadata": {"kernelspec": {"name": "python3"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

const smallText = `%% cell 1 markdown
# Tïtle
text
%% cell 2 code
print(1)
print(2)
%% output of cell 2
one
two
<Figure>
[image/png, 6 bytes]
KeyError: 'x'
`

func parsed(t *testing.T, raw string) *Notebook {
	t.Helper()
	n, err := Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An edit changes only the bytes of its cell.
func TestEdits(t *testing.T) {
	t.Parallel()
	n := parsed(t, small)
	if n.Text() != smallText || n.CellCount() != 2 {
		t.Fatalf("it reads\n%s", n.Text())
	}
	for name, tc := range map[string]struct{ old, new, was, is string }{
		"nothing":  {"", "", "", ""},
		"a line":   {"text\n", "text\nmore\n", "    \"text\"\n", "    \"text\\n\",\n    \"more\"\n"},
		"a string": {"print(2)", "print(3)", `print(2)`, `print(3)`},
		"a new cell": {"%% cell 2 code", "%% cell code\nx = \"é\"\n\n%% cell 2 code", "  },\n  {\n   \"cell_type\": \"code\"", `  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "ID",
   "metadata": {},
   "outputs": [],
   "source": [
    "x = \"é\"\n"
   ]
  },
  {
   "cell_type": "code"`},
		"a cell less": {"%% cell 1 markdown\n# Tïtle\ntext\n", "", small[strings.Index(small, "  {\n   \"cell_type\": \"markdown"):strings.Index(small, "  {\n   \"cell_type\": \"code")], ""},
	} {
		after, err := n.Encode(strings.Replace(smallText, tc.old, tc.new, 1))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := string(after)
		if i := strings.Index(got, `"id": "`); name == "a new cell" {
			i = strings.LastIndex(got[:strings.Index(got, `"b2"`)-10], `"id": "`) + len(`"id": "`)
			got = got[:i] + "ID" + got[i+8:]
		} else if i < 0 {
			t.Errorf("%s: there are no ids", name)
		}
		if want := strings.Replace(small, tc.was, tc.is, 1); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// A source with Windows line ends keeps them, also in edited lines.
func TestLineEndsOfASource(t *testing.T) {
	t.Parallel()
	for was, want := range map[string]string{
		`["x = 1\r\n", "y = 2\r\n", "z"]`: `["x = 1\r\n", "y = 3\r\n","w\r\n","z"]`,
		`"x = 1\r\ny = 2\r\nz"`:           `"x = 1\r\ny = 3\r\nw\r\nz"`,
		`"x = 1\ny = 2\nz"`:               `"x = 1\ny = 3\nw\nz"`,
	} {
		file := func(source string) string {
			return `{"cells": [{"cell_type": "code", "outputs": [], "source": ` + source + `}], "nbformat": 4, "nbformat_minor": 4}`
		}
		n := parsed(t, file(was))
		after, err := n.Encode(strings.Replace(n.Text(), "y = 2\n", "y = 3\nw\n", 1))
		space := strings.NewReplacer(", ", ",", "[ ", "[")
		if err != nil || space.Replace(string(after)) != space.Replace(file(want)) {
			t.Errorf("%s, %v\nwant\n%s", after, err, file(want))
		}
	}
}

func TestInvalidEdits(t *testing.T) {
	t.Parallel()
	n := parsed(t, small)
	for want, text := range map[string]string{
		"the outputs of cell":         strings.Replace(smallText, "two\n", "2\n", 1),
		"must begin with a cell line": "x\n" + smallText,
		"appears twice":               smallText + smallText,
		"no cell 3":                   smallText + "%% cell 3 code\n",
		"can't be changed":            strings.Replace(smallText, "1 markdown", "1 code", 1),
		"unknown kind of cell":        smallText + "%% cell python\n",
	} {
		if _, err := n.Encode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, raw := range []string{"", "[]", `{"cells": []}`, `{"cells": [{}], "nbformat": 4}`, `{"worksheets": [], "nbformat": 3}`, small + "x", `{"cells": {}, "nbformat": 4}`} {
		if _, err := Parse([]byte(raw)); err == nil {
			t.Errorf("%q is a notebook", raw)
		}
	}
	empty := parsed(t, `{"cells": [], "nbformat": 4, "nbformat_minor": 4}`)
	if after, err := empty.Encode("%% cell code\nx\n"); err != nil || parsed(t, string(after)).Text() != "%% cell 1 code\nx\n" || strings.Contains(string(after), `"id"`) {
		t.Errorf("%s, %v", after, err)
	}
}

// Outputs are shown in whole lines up to a limit, with the amount that is omitted.
func TestOutputsAreBounded(t *testing.T) {
	t.Parallel()
	many := boundedOutputs([]output{{Text: manyLines(strings.Repeat("line\n", 1000))}})
	if strings.Count(many, "\n") != mostLines+1 || !strings.HasSuffix(many, "[… 4.8 KiB more]\n") {
		t.Errorf("%q", many)
	}
	if long := boundedOutputs([]output{{Text: manyLines(strings.Repeat("x", 1<<20))}}); len(long) > 100 {
		t.Errorf("%d bytes", len(long))
	}
}

// file draws a notebook in one of several layouts that programs write.
func file(t *rapid.T) (raw []byte, cells []map[string]any) {
	line := rapid.SampledFrom([]string{"", "x = 1", "%% cell 1 code", "%% y", "%%time", "é ⚙", "\"q\" \\ \u2028", "\ttab"})
	for i := range rapid.IntRange(0, 5).Draw(t, "cells") {
		text := strings.Join(rapid.SliceOfN(line, 0, 4).Draw(t, "lines"), "\n")
		c := map[string]any{"cell_type": rapid.SampledFrom([]string{"code", "markdown"}).Draw(t, "kind"), "metadata": map[string]any{"n": i}, "id": fmt.Sprintf("id%d", i)}
		if c["cell_type"] == "code" {
			c["execution_count"] = i
			c["outputs"] = []any{map[string]any{"output_type": "stream", "name": "stdout", "text": rapid.SampledFrom([]string{"", "out\n", "%% cell 9 code\n"}).Draw(t, "out")}}
		}
		if c["source"] = text; rapid.Bool().Draw(t, "as a list") {
			c["source"] = strings.SplitAfter(text, "\n")
		}
		cells = append(cells, c)
	}
	whole := map[string]any{"cells": append([]map[string]any{}, cells...), "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(rapid.Bool().Draw(t, "escaped"))
	e.SetIndent("", rapid.SampledFrom([]string{"", " ", "  ", "\t"}).Draw(t, "indent"))
	if err := e.Encode(whole); err != nil {
		t.Fatal(err)
	}
	if raw = b.Bytes(); rapid.Bool().Draw(t, "ends of Windows") {
		raw = bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))
	}
	return raw, cells
}

// TestAnyEdit draws notebooks and changes, deletes and adds cells in their texts. Another program
// then reads the same notebook with exactly this change, and no other byte differs.
func TestAnyEdit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, cells := file(t)
		n, err := Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := n.Encode(n.Text()); err != nil || !bytes.Equal(same, raw) {
			t.Fatalf("unchanged it is %q, %v", same, err)
		}
		var text strings.Builder
		var want []string // the sources, with the ids of unchanged cells
		touched := -1
		add := func() {
			if rapid.IntRange(0, 3).Draw(t, "add") == 0 {
				text.WriteString(n.mark + " cell code\nnew\n\n")
				want, touched = append(want, "new\n"), -2
			}
		}
		for i, c := range n.cells {
			add()
			source := c.text
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				touched = -2
				continue
			case 1:
				source += "\nchanged"
				if touched == -1 {
					touched = i
				} else {
					touched = -2
				}
			}
			text.WriteString(n.heading(i) + source + "\n" + n.outputsOf(i))
			want = append(want, cells[i]["id"].(string)+source)
		}
		add()
		after, err := n.Encode(text.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		checkRead(t, after, cells, want)
		if touched >= 0 {
			s := n.cells[touched].source
			if !bytes.HasPrefix(after, raw[:s.start]) || !bytes.HasSuffix(after, raw[s.end:]) {
				t.Fatalf("bytes around cell %d changed: %q was %q", touched+1, after, raw)
			}
		}
	})
}

// checkRead compares the cells that another program reads from a file with the expected cells.
func checkRead(t *rapid.T, after []byte, cells []map[string]any, want []string) {
	var read struct {
		Cells []map[string]any `json:"cells"`
	}
	if err := json.Unmarshal(after, &read); err != nil {
		t.Fatalf("%v: %s", err, after)
	}
	var got []string
	for _, c := range read.Cells {
		source, _ := c["source"].(string)
		list, _ := c["source"].([]any)
		for _, line := range list {
			source += line.(string)
		}
		id := c["id"].(string)
		i := slices.IndexFunc(cells, func(c map[string]any) bool { return c["id"] == id })
		if i < 0 {
			got = append(got, source)
			continue
		}
		got = append(got, id+source)
		for _, key := range []string{"metadata", "outputs", "execution_count", "cell_type"} {
			was, _ := json.Marshal(cells[i][key])
			if is, _ := json.Marshal(c[key]); !reflect.DeepEqual(is, was) {
				t.Fatalf("%s of %s is %s, was %s", key, id, is, was)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the cells are %q, not %q", got, want)
	}
}
