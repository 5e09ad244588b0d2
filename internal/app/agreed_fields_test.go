package app

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/app/extensions"
	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/extend/setup"
	"agent/internal/extend/setup/agents"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/permissions"
	"agent/internal/extend/setup/servers"
	"agent/internal/extend/setup/trustedfile"
)

// variation is a value with one field changed.
type variation struct {
	field string
	value reflect.Value
}

// variations returns copies of a struct that differ from it in one exported field each, including
// fields of nested structs. For a list and a map, one copy lacks an element, one has another
// element, and one changes an element.
func variations(value reflect.Value) (all []variation) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		if value.Field(i).Kind() == reflect.Struct {
			for _, inner := range variations(value.Field(i)) {
				all = append(all, variation{field.Name + "." + inner.field, with(value, i, inner.value)})
			}
			continue
		}
		for _, other := range others(value.Field(i)) {
			all = append(all, variation{field.Name, with(value, i, other)})
		}
	}
	return all
}

// with returns a copy of a struct with a different value in a field.
func with(value reflect.Value, field int, other reflect.Value) reflect.Value {
	next := reflect.New(value.Type()).Elem()
	next.Set(value)
	next.Field(field).Set(other)
	return next
}

// others returns values that differ from a value.
func others(value reflect.Value) (all []reflect.Value) {
	add := func(change func(next reflect.Value)) {
		next := reflect.New(value.Type()).Elem()
		next.Set(value)
		change(next)
		all = append(all, next)
	}
	switch value.Kind() {
	case reflect.Bool:
		add(func(next reflect.Value) { next.SetBool(!value.Bool()) })
	case reflect.String:
		add(func(next reflect.Value) { next.SetString(value.String() + "x") })
		add(func(next reflect.Value) { next.SetString("") })
	case reflect.Int, reflect.Int64:
		add(func(next reflect.Value) { next.SetInt(value.Int() + int64(time.Minute)) })
		add(func(next reflect.Value) { next.SetInt(0) })
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.String {
			add(func(next reflect.Value) {
				next.Set(reflect.AppendSlice(reflect.MakeSlice(value.Type(), 0, 0), reflect.Append(value, reflect.ValueOf("another"))))
			})
			add(func(next reflect.Value) { next.Set(value.Slice(0, max(0, value.Len()-1))) })
			add(func(next reflect.Value) { next.SetZero() })
		}
	case reflect.Map:
		add(func(next reflect.Value) { next.Set(reflect.ValueOf(map[string]string{"K": "another"})) })
		add(func(next reflect.Value) { next.Set(reflect.ValueOf(map[string]string{"L": "v"})) })
		add(func(next reflect.Value) { next.SetZero() })
	}
	return all
}

// Consent covers every field of an item that has an effect. harmless names the fields without an
// effect, with the reason.
func TestConsentCoversEachFieldThatDecides(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "file")
	const (
		place = "where the file lies, which the record of the consent has beside the content"
		noted = "says what the file holds, and takes no effect"
		bound = "the origin decides whether a person is asked at all"
	)
	for name, tt := range map[string]struct {
		value    any
		items    func(value any) []consent.Item
		harmless map[string]string
	}{
		"agent": {
			agents.Agent{
				Name: "x", Description: "d", Origin: agents.OriginProject, File: file, Prompt: "p", Tools: []string{"shell", "replace"}, Without: []string{"glob"}, Model: "m", Effort: "low",
				Kind: "local", MaxTurns: 3, Timeout: time.Minute, Background: true, Skills: []string{"s"}, Looks: true,
			},
			func(value any) []consent.Item {
				return agentItems(agents.Set{Agents: []agents.Agent{value.(agents.Agent)}})
			},
			map[string]string{"Origin": bound, "File": place, "Unused": noted},
		},
		"server": {
			servers.Server{
				Name: "x", Origin: servers.OriginProject, File: file, Transport: servers.HTTP, Command: "c", Args: []string{"a"}, Env: map[string]string{"K": "v"}, EnvVars: []string{"V"}, Cwd: "d", URL: "https://example.com",
				Headers: map[string]string{"K": "v"}, StartTimeout: time.Minute, Timeout: time.Minute, Only: []string{"t"}, Except: []string{"u"}, AlwaysLoad: true, Sandbox: servers.Sandboxed,
				OAuth: servers.OAuth{ClientID: "i", ClientSecretEnv: "S", Scopes: []string{"s"}, CallbackPort: 1},
			},
			func(value any) []consent.Item {
				s := value.(servers.Server)
				return mcphost.ConsentItems(servers.Listing{Servers: []*servers.Server{&s}})
			},
			map[string]string{
				"Origin": bound, "File": place, "Fields": "the entry as it is written, which the other fields hold",
				"Allow": "a repository and a plugin cannot set it", "TrustHints": "a repository and a plugin cannot set it", "Disabled": "a disabled server does not run",
				"OAuth.ClientSecret": "the value of a variable that is named",
			},
		},
		"hook": {
			hooks.Hook{Event: hooks.PreToolUse, Matcher: "m", Command: "c", Args: []string{"a"}, Timeout: time.Minute, If: "Bash(x)", Async: true, Once: true, Blocks: true, File: file, Project: root},
			func(value any) []consent.Item {
				return hookgates.ConsentItems(hooks.Listing{Hooks: []hooks.Hook{value.(hooks.Hook)}})
			},
			map[string]string{"File": place, "Plugin": bound, "Raw": "the entry as it is written, which the other fields hold"},
		},
		"grants": {
			setup.Entry{Name: "x", Origin: setup.OriginProject, File: file, Dir: root, Allowed: []string{"Bash(ls)", "Bash(pwd)"}, Disallowed: []string{"Read"}},
			func(value any) []consent.Item {
				e := value.(setup.Entry)
				return extensions.Grants(setup.Set{Skills: setup.Listing{Entries: []*setup.Entry{&e}}})
			},
			map[string]string{
				"Origin": bound, "Own": bound, "File": place, "Dir": "the folder of the file", "Notes": noted, "Description": "text for the model, which the grants bound", "Hint": "text for the person who calls it",
				"Unlisted": "bounds what a person may call", "Shadowed": "it is called by another name then",
			},
		},
		"rules": {
			permissions.Offer{File: file, Line: 1, Rules: []string{"Bash(ls)", "Bash(pwd)"}},
			func(value any) []consent.Item {
				items, _ := hookgates.OfferedRuleItems(permissions.Rules{Offered: []permissions.Offer{value.(permissions.Offer)}})
				return items
			},
			map[string]string{"File": place, "Line": "where the rules stand, which the question shows"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			store := consent.Open(trustedfile.Locations{Config: t.TempDir(), Home: t.TempDir(), Workspace: root})
			content := func(value any) string {
				items := tt.items(value)
				if len(items) == 0 {
					return "" // the item requires no consent
				}
				reviewed, err := store.Review(items)
				if err != nil || reviewed[0].Problem != "" {
					t.Fatalf("%v %s", err, reviewed[0].Problem)
				}
				return reviewed[0].Content
			}
			before, seen := content(tt.value), map[string]bool{}
			if before == "" {
				t.Fatal("it needs no consent")
			}
			for _, v := range variations(reflect.ValueOf(tt.value)) {
				seen[v.field] = true
				if reflect.DeepEqual(v.value.Interface(), tt.value) || tt.harmless[v.field] != "" {
					continue
				}
				if content(v.value.Interface()) == before {
					t.Errorf("%s: with another %s, %+v, the consent still holds", name, v.field, v.value)
				}
			}
			for i := range reflect.TypeOf(tt.value).NumField() {
				if f := reflect.TypeOf(tt.value).Field(i); f.IsExported() && f.Type.Kind() != reflect.Struct && !seen[f.Name] && tt.harmless[f.Name] == "" {
					t.Errorf("%s: %s is not varied", name, f.Name)
				}
			}
			for field := range tt.harmless {
				outer, _, _ := strings.Cut(field, ".")
				if _, ok := reflect.TypeOf(tt.value).FieldByName(outer); !ok {
					t.Errorf("%s: there is no field %s", name, field)
				}
			}
		})
	}
}

// A changed file never counts as the approved one.
func TestAnotherAgentFileIsAnotherContent(t *testing.T) {
	t.Parallel()
	markdown := "---\nname: x\ndescription: d\nmodel: m\npermissionMode: plan\nmaxTurns: 3\ntimeout_mins: 1\nbackground: false\nskills: a\nkind: local\n---\nLook.\n"
	codex := "name = \"x\"\ndescription = \"d\"\nmodel = \"m\"\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"Look.\"\n"
	for _, tt := range []struct{ name, text, from, to string }{
		{"x.md", markdown, "permissionMode: plan", "permissionMode: acceptEdits"},
		{"x.md", markdown, "permissionMode: plan\n", ""},
		{"x.md", strings.Replace(markdown, "permissionMode: plan", "sandbox_mode: read-only", 1), "sandbox_mode: read-only", "sandbox_mode: danger-full-access"},
		{"x.md", markdown, "maxTurns: 3", "maxTurns: 500"},
		{"x.md", markdown, "maxTurns: 3\n", ""},
		{"x.md", markdown, "timeout_mins: 1", "timeout_mins: 500"},
		{"x.md", markdown, "background: false", "background: true"},
		{"x.md", markdown, "skills: a", "skills: b"},
		{"x.md", markdown, "skills: a\n", ""},
		{"x.md", markdown, "description: d", "description: e"},
		{"x.md", markdown, "kind: local\n", ""},
		{"x.toml", codex, "sandbox_mode = \"read-only\"", "sandbox_mode = \"workspace-write\""},
		{"x.toml", codex, "sandbox_mode = \"read-only\"\n", ""},
		{"x.toml", codex, "description = \"d\"", "description = \"e\""},
		{"x.toml", codex, "\"m\"", "\"n\""},
		{"x.toml", codex, "Look.", "Work."},
	} {
		folder := map[string]string{"x.md": ".claude/agents", "x.toml": ".codex/agents"}[tt.name]
		where := trustedfile.Locations{Config: t.TempDir(), Home: t.TempDir(), Workspace: t.TempDir()}
		state := func(text string, agree bool) (consent.State, string) {
			path := filepath.Join(where.Workspace, folder, tt.name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			store := consent.Open(where)
			reviewed, err := store.Review(agentItems(agents.Find(where)))
			if err != nil || len(reviewed) != 1 {
				t.Fatalf("%s: %v, %d items", text, err, len(reviewed))
			}
			if agree {
				if err := store.Approve(time.Now(), reviewed...); err != nil {
					t.Fatal(err)
				}
			}
			return reviewed[0].State, strings.Join(reviewed[0].Difference, "\n")
		}
		state(tt.text, true)
		if same, _ := state(tt.text, false); same != consent.StateApproved {
			t.Fatalf("%s: %s", tt.text, same)
		}
		changed, difference := state(strings.Replace(tt.text, tt.from, tt.to, 1), false)
		if changed != consent.StateChanged || !slices.ContainsFunc([]string{"+", "-"}, func(sign string) bool { return strings.Contains(difference, sign) }) {
			t.Errorf("%q for %q: %s, %q", tt.to, tt.from, changed, difference)
		}
	}
}
