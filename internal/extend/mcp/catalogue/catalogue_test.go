package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/extend/mcp"
)

func tool(name, description, schema string) mcp.Tool {
	return mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)}
}

func shown(k ServerInfo) (all []string) {
	for _, t := range k.Tools {
		all = append(all, t.Shown)
	}
	return all
}

// TestNames_5_2_6 checks that names have only letters, digits, - and _, are at most 64 bytes long,
// and are unique.
func TestNames_5_2_6(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	k := CleanListing("srv", Listing{Tools: []mcp.Tool{
		tool("plain-name_1", "", `{}`), tool("with space", "", `{}`), tool("with.space", "", `{}`), tool("wïth space", "", `{}`), tool(long, "", `{}`), tool(long+"y", "", `{}`),
		tool("", "", `{}`), tool("plain-name_1", "second", `{}`),
	}}, nil)
	names := shown(k)
	if len(names) != 6 || !slices.Equal(names[:2], []string{"plain-name_1", "with_space"}) || !strings.HasPrefix(names[2], "with_space_") || names[3] != "w_th_space" {
		t.Errorf("%q", names)
	}
	for i, name := range names {
		direct := DirectName("srv", name)
		if server, back, ok := SplitDirectName(direct); len(direct) > 64 || !ok || server != "srv" || back != name {
			t.Errorf("%s: %d characters, %s %s", direct, len(direct), server, back)
		}
		if got, found := k.Tool(name); !found || got.Name != k.Tools[i].Name {
			t.Errorf("%s is not found", name)
		}
	}
	if len(DirectName("srv", names[4])) != 64 || names[4] == names[5] {
		t.Errorf("%q", names[4:])
	}
	if got, found := k.Tool("with space"); !found || got.Shown != "with_space" {
		t.Error("the server's own name is not found")
	}
	problems := strings.Join(k.Problems, "\n")
	if !strings.Contains(problems, "it has no name") || !strings.Contains(problems, "two tools of that name") || k.Tools[0].Description != "" {
		t.Errorf("%s", problems)
	}
}

// TestDefinitions_5_2_7 checks the cleaning of definitions. A bad schema omits only its own tool. A
// long definition is available only through a search. Invisible characters are removed and counted.
func TestDefinitions_5_2_7(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"properties":{"a":`, 40) + `{}` + strings.Repeat(`}}`, 40)
	k := CleanListing("s", Listing{Instructions: strings.Repeat("i", 5000), Tools: []mcp.Tool{
		tool("good", "reads\u200b a \U000e0041file\x1b[2J\u202e", `{"properties":{"a\u200b":{"description":"x\u202ey"}}}`),
		tool("none", "", ``), tool("broken", "", `{`), tool("list", "", `[]`), tool("text", "", `{"type":"string"}`), tool("props", "", `{"properties":[]}`),
		tool("types", "", `{"type":["object","null"]}`),
		tool("wordy", strings.Repeat("w", 12_000), `{}`), tool("large", "", `{"description":"`+strings.Repeat("w", 9000)+`"}`), tool("huge", "", `{"description":"`+strings.Repeat("w", 100_000)+`"}`), tool("deep", "", deep),
	}}, nil)
	if got := shown(k); !slices.Equal(got, []string{"good", "types", "wordy", "large", "huge", "deep"}) {
		t.Fatalf("%q", got)
	}
	good := k.Tools[0]
	if good.Description != "reads a file[2J" || string(good.Schema) != `{"properties":{"a":{"description":"xy"}},"type":"object"}` || good.Long {
		t.Errorf("%q %s", good.Description, good.Schema)
	}
	for _, tt := range k.Tools[2:] {
		if !tt.Long || len(tt.Description) > maxDescription || len(tt.Schema) > maxKeptSchema {
			t.Errorf("%s: long %t, %d, %d", tt.Name, tt.Long, len(tt.Description), len(tt.Schema))
		}
	}
	if string(k.Tools[1].Schema) != `{"type":"object"}` || len(k.Instructions) > maxInstructions {
		t.Errorf("%s", k.Tools[1].Schema)
	}
	problems := strings.Join(k.Problems, "\n")
	for _, want := range []string{"tool none is omitted: it has no schema", "broken is omitted: its schema is not valid JSON", "list is omitted", "text is omitted: its schema describes a string", "props is omitted", "6 invisible characters removed"} {
		if !strings.Contains(problems, want) {
			t.Errorf("no %q in\n%s", want, problems)
		}
	}
	if k := CleanListing("s", Listing{Tools: []mcp.Tool{tool("a", "", `{}`), tool("b", "", `{}`)}}, func(name string) bool { return name == "b" }); len(k.Tools) != 1 {
		t.Errorf("%q", shown(k))
	}
}

// TestCheck_5_2_5 checks arguments against a schema. The error contains the schema and the reason.
// Arguments that can't be checked are accepted.
func TestCheck_5_2_5(t *testing.T) {
	t.Parallel()
	const person = `{"type":"object","properties":{"name":{"type":"string","minLength":2},"age":{"type":"integer"},"kind":{"enum":["a","b"]}},"required":["name"],"additionalProperties":false}`
	for _, tt := range []struct{ name, schema, arguments, want string }{
		{"fits", person, `{"name":"ab","age":3,"kind":"a"}`, ""},
		{"missing", person, `{"age":3}`, "name"},
		{"type", person, `{"name":"ab","age":"x"}`, "integer"},
		{"enum", person, `{"name":"ab","kind":"c"}`, "enum"},
		{"more", person, `{"name":"ab","more":1}`, "more"},
		{"no object", person, `[]`, "must be an object"},
		{"anything", `{"type":"object"}`, `{"x":[1]}`, ""},
		{"reference", `{"type":"object","properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"string"}}}`, `{"p":1}`, "string"},
		{"reference and more", `{"type":"object","properties":{"p":{"$ref":"#/$defs/p","minLength":3}},"$defs":{"p":{"type":"string"}}}`, `{"p":"x"}`, "minLength"},
		{"itself", `{"type":"object","$ref":"#"}`, `{"x":1}`, ""},
		{"in circles", `{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `{"x":1}`, ""},
		{"in circles below default", `{"type":"object","properties":{"default":{"$ref":"#/properties/default"}}}`, `{"default":1}`, ""},
		{"a tree", `{"type":"object","properties":{"child":{"$ref":"#"},"n":{"type":"integer"}}}`, `{"child":{"n":1}}`, ""},
		{"elsewhere", `{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}},"required":["b"]}`, `{"a":1}`, "b"},
		{"nowhere", `{"type":"object","properties":{"a":{"$ref":"#/none"}}}`, `{"a":1}`, ""},
		{"old draft", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":true}}}`, `{"a":"x"}`, ""},
		{"lookahead", `{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}`, `{"a":1}`, ""},
		{"explodes", exploding(), `{"a":1}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checked := Tool{Shown: "t", Schema: json.RawMessage(tt.schema)}
			err := checked.Check(arguments.Parse(tt.arguments))
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			problem, schema, _ := strings.Cut(fmt.Sprint(err), "\n")
			if !strings.HasPrefix(problem, "nothing was sent") || !strings.Contains(problem, tt.want) || !strings.Contains(schema, tt.schema) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
	wide := Tool{Schema: json.RawMessage(`{"type":"object","required":["q"],"description":"` + strings.Repeat("d", 5000) + `"}`)}
	if err := wide.Check(arguments.Parse(`{}`)); err == nil || len(err.Error()) > maxWritten+300 {
		t.Errorf("%d bytes", len(err.Error()))
	}
}

// exploding returns a short schema that takes 2^60 steps to follow.
func exploding() string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/d0","$defs":{`)
	for i := range 60 {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	b.WriteString(`"d60":{}}}`)
	return b.String()
}

func known(tools ...mcp.Tool) ServerInfo { return CleanListing("s", Listing{Tools: tools}, nil) }

// TestIndex_5_2_2 checks that a larger index has the beginnings of descriptions, then only names,
// then only counts.
func TestIndex_5_2_2(t *testing.T) {
	t.Parallel()
	servers := func(n int) []UsableServer {
		var tools []mcp.Tool
		for i := range n {
			tools = append(tools, tool(fmt.Sprintf("do_thing_%03d", i), strings.Repeat("what it does ", 20)+"\nmore", `{}`))
		}
		return []UsableServer{{Name: "one", Origin: "yours", Known: known(tools...)}, {Name: "two", Origin: "project", Known: known(tool("x", "", `{}`)), OfferedDirectly: true}}
	}
	if got, want := Index(servers(1)), "\none (yours):\n- do_thing_000: what it does what it does what it does what it does what it…\ntwo (project): offered as mcp__two__…"; got != want {
		t.Errorf("%q", got)
	}
	names := Index(servers(100))
	if !strings.HasPrefix(names, "\none (yours): do_thing_000, do_thing_001, ") || Tokens(names) > namesIndex {
		t.Errorf("%d tokens: %.80q", Tokens(names), names)
	}
	if got, want := Index(servers(2000)), "\none (yours): 2000 tools\ntwo (project): offered as mcp__two__…"; got != want {
		t.Errorf("%.80q", got)
	}
}

// TestFit_5_2_3 checks that whole servers are offered within the limit, in the order of the
// configuration. Servers that are always offered come first.
func TestFit_5_2_3(t *testing.T) {
	t.Parallel()
	sized := func(name string, tokens int) UsableServer {
		return UsableServer{Name: name, Known: known(tool("t", strings.Repeat("w", int(float64(tokens-20)*bytesPerToken)), `{}`))}
	}
	for _, tt := range []struct {
		name   string
		choice OfferRule
		always string
		room   int
		want   string
	}{
		{"in order", OfferAuto, "", 700, "a c"}, {"always first", OfferAuto, "b", 700, "b"}, {"all", OfferDirect, "", 0, "a b c d"}, {"none", OfferSearch, "a", 9999, ""}, {"no room", OfferAuto, "", 10, ""},
	} {
		servers := []UsableServer{sized("a", 200), sized("b", 550), sized("c", 300), sized("d", 400), {Name: "empty"}}
		ChooseDirect(servers, func(name string) bool { return name == tt.always }, tt.choice, tt.room)
		var got []string
		for _, s := range servers {
			if s.OfferedDirectly {
				got = append(got, s.Name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestFind checks that matches in names rank before matches in descriptions and parameters, and
// that the order is always the same.
func TestFind(t *testing.T) {
	t.Parallel()
	var entries []Entry
	for _, s := range []struct {
		server string
		tools  []mcp.Tool
	}{
		{"github", []mcp.Tool{
			tool("create_issue", "Create a new issue in a repository", `{"properties":{"title":{},"body":{}}}`),
			tool("list_issues", "List issues of a repository", `{"properties":{"state":{}}}`),
			tool("searchCode", "Search for code", `{"properties":{"query":{"description":"what to look for"}}}`),
			tool("get_file", "Get contents", `{"properties":{"branch":{}}}`),
		}},
		{"browser", []mcp.Tool{tool("browser_click", "Click on an element", `{}`), tool("browser_navigate", "Navigate to a URL", `{}`)}},
	} {
		for _, one := range CleanListing(s.server, Listing{Tools: s.tools}, nil).Tools {
			entries = append(entries, Entry{s.server, one})
		}
	}
	for query, want := range map[string]string{
		"create issue":                "create_issue list_issues",
		"issue":                       "create_issue list_issues",
		"search code":                 "searchCode",
		"how to click on the page":    "browser_click",
		"branch":                      "get_file",
		"list_issues":                 "list_issues create_issue",
		"mcp__browser__browser_click": "browser_click browser_navigate",
		"repository":                  "create_issue list_issues",
		"zebra":                       "",
		"":                            "create_issue list_issues searchCode get_file browser_click browser_navigate",
	} {
		var got []string
		for _, e := range Find(entries, query) {
			got = append(got, e.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

// TestChangedDefinitions_5_6 checks that the approved definition is kept over any number of
// changes, until the user approves another one.
func TestChangedDefinitions_5_6(t *testing.T) {
	t.Parallel()
	first := known(tool("t", "one", `{}`), tool("same", "", `{}`))
	second := known(tool("t", "two", `{}`), tool("same", "", `{}`), tool("new", "", `{}`)).WithChangesSince(first)
	third := known(tool("t", "three", `{}`)).WithChangesSince(second)
	back := known(tool("t", "one", `{}`)).WithChangesSince(third)
	for i, k := range []ServerInfo{second, third} {
		if len(k.Changed) != 1 || k.Changed["t"].Description != "one" {
			t.Errorf("%d: %+v", i, k.Changed)
		}
	}
	if len(first.WithChangesSince(first).Changed) != 0 || len(back.Changed) != 0 {
		t.Errorf("%+v", back.Changed)
	}
	annotated := tool("t", "one", `{}`)
	annotated.Annotations.ReadOnly = true
	if k := known(annotated).WithChangesSince(first); len(k.Changed) != 1 {
		t.Error("a changed hint is no change")
	}
}

// A tool that disappears and returns with another definition has changed. A tool that takes the
// name of another one has changed too, because rules allow tools by both of their names.
func TestChangesByWayOfAbsence(t *testing.T) {
	t.Parallel()
	first := known(tool("t", "one", `{}`), tool("x_y", "one", `{}`))
	without := known(tool("other", "", `{}`)).WithChangesSince(first)
	again := known().WithChangesSince(without)
	for name, after := range map[string]ServerInfo{"once": without, "twice": again} {
		if k := known(tool("t", "two", `{}`)).WithChangesSince(after); k.Changed["t"].Hash != first.Tools[0].Hash {
			t.Errorf("gone %s and back otherwise: %+v", name, k.Changed)
		}
		if k := known(tool("t", "one", `{}`)).WithChangesSince(after); len(k.Changed) != 0 {
			t.Errorf("gone %s and back as before: %+v", name, k.Changed)
		}
	}
	changed := known(tool("t", "two", `{}`)).WithChangesSince(first)
	if k := known(tool("t", "two", `{}`)).WithChangesSince(known().WithChangesSince(changed)); k.Changed["t"].Hash != first.Tools[0].Hash {
		t.Errorf("changed, gone and back: %+v", k.Changed)
	}
	for _, name := range []string{"x y", "x/y"} {
		if k := known(tool(name, "one", `{}`)).WithChangesSince(first); k.Tools[0].Shown != "x_y" || k.Changed[name].Hash != first.Tools[1].Hash {
			t.Errorf("%q in place of x_y: %+v", name, k)
		}
	}
	if k := known(tool("x_y", "", `{}`), tool("x y", "two", `{}`)).WithChangesSince(known(tool("x y", "one", `{}`))); len(k.Changed) != 2 {
		t.Errorf("another of the same names: %+v", k.Changed)
	}
	many := ServerInfo{}
	for n := 0; len(many.Gone) < maxGone; n += 1000 {
		var tools []mcp.Tool
		for i := range 1000 {
			tools = append(tools, tool(fmt.Sprint("t", n+i), "", `{}`))
		}
		many = known().WithChangesSince(known(tools...).WithChangesSince(many))
	}
	if k := known(tool("new", "", `{}`)).WithChangesSince(many); len(many.Gone) != maxGone || len(k.Changed) != 1 {
		t.Errorf("%d are gone, and a new one changes %+v", len(many.Gone), k.Changed)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	s := Store{Dir: t.TempDir() + "/a/b"}
	k := known(tool("t", "one", `{"a":1}`))
	if _, found := s.Load("s", []byte("{}")); found {
		t.Error("found before it was kept")
	}
	if err := s.Save("s", []byte("{}"), k); err != nil {
		t.Fatal(err)
	}
	got, found := s.Load("s", []byte("{}"))
	if !found || got.Tools[0].Hash != k.Tools[0].Hash || string(got.Tools[0].Schema) != string(k.Tools[0].Schema) {
		t.Errorf("%+v", got)
	}
	if _, found := s.Load("s", []byte(`{"x":1}`)); found {
		t.Error("a changed entry is the same server")
	}
}

func FuzzTake(f *testing.F) {
	f.Add("n", "d", `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`, `{"a":1}`)
	f.Fuzz(func(t *testing.T, name, description, schema, given string) {
		k := known(tool(name, description, schema))
		for _, one := range k.Tools {
			if !json.Valid(one.Schema) || len(DirectName("s", one.Shown)) > 64 {
				t.Errorf("%s %s", one.Schema, one.Shown)
			}
			_ = one.Check(arguments.Parse(given))
			Find([]Entry{{"s", one}}, description)
		}
	})
}
