package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/app"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/servers"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/settings"
)

// randomRepository makes a random repository. It records every text in it that has an effect.
type randomRepository struct {
	*rapid.T
	literals []string
	// scripts are files that commands name. A change of a script is a change of its item.
	scripts []string
	n       int
}

// text returns a text that no other part of the repository contains.
func (d *randomRepository) text(label string) string {
	d.n++
	odd := rapid.SampledFrom([]string{"", " ", "=", "'", `"`, "$", "; ", "# ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "--api-key ", "Bearer ", "password=", "https://user:pass@host/?key=", "«»'\"", "é", "|"}).Draw(d.T, label)
	literal := fmt.Sprintf("lit%03dx%s", d.n, odd) + fmt.Sprintf("tail%03d", d.n)
	d.literals = append(d.literals, literal)
	return literal
}

// value returns a text, which may be the default of a variable or follow one.
func (d *randomRepository) value(label string) string {
	switch rapid.SampledFrom([]string{"plain", "default", "beside"}).Draw(d.T, label+" form") {
	case "default":
		return "${VAR:-" + strings.ReplaceAll(d.text(label), "}", "") + "}"
	case "beside":
		return "${VAR}" + d.text(label)
	}
	return d.text(label)
}

// script returns a spelling of a script in a folder.
func (d *randomRepository) script(folder string) string {
	d.n++
	name := fmt.Sprintf("s%03d.sh", d.n)
	d.scripts = append(d.scripts, filepath.Join(folder, name))
	return rapid.SampledFrom([]string{"./" + name, name, "${VAR:-./" + name + "}", "./" + name[:4] + "*.sh", "$'./" + name + "'"}).Draw(d.T, "spelling")
}

func (d *randomRepository) maybe(label string, set func()) {
	if rapid.Bool().Draw(d.T, label) {
		set()
	}
}

func (d *randomRepository) texts(label string) map[string]string {
	values := map[string]string{}
	for range rapid.IntRange(1, 2).Draw(d.T, label) {
		values[d.name()] = d.value(label)
	}
	return values
}

// name returns the name of a variable or a header, which also counts as a literal.
func (d *randomRepository) name() string {
	d.n++
	name := fmt.Sprintf("NAME_%03d_TOKEN", d.n)
	d.literals = append(d.literals, name)
	return name
}

func (d *randomRepository) server() map[string]any {
	s := map[string]any{}
	folder := ""
	d.maybe("cwd", func() { folder, s["cwd"] = "sub", "${VAR:-sub}" })
	if rapid.Bool().Draw(d.T, "http") {
		s["url"], s["headers"] = "http://127.0.0.1:1/"+d.value("url"), d.texts("headers")
	} else if rapid.Bool().Draw(d.T, "shell") {
		s["command"], s["args"] = "sh", []string{"-c", "cd . && sh " + d.script(folder) + " # " + d.text("line")}
	} else {
		s["command"] = d.value("command")
		args := []string{"${VAR:-./" + d.spaced(folder) + "}"}
		for range rapid.IntRange(0, 3).Draw(d.T, "args") {
			args = append(args, d.value("argument"))
		}
		s["args"] = args
	}
	d.maybe("env", func() { s["env"] = d.texts("env") })
	d.maybe("env_vars", func() { s["env_vars"] = []string{d.name()} })
	d.maybe("oauth", func() { s["oauth"] = map[string]any{"clientId": d.text("client"), "scopes": []string{d.text("scope")}} })
	d.maybe("tools", func() { s["enabledTools"] = []string{d.text("tool")} })
	return s
}

// spaced returns the name of a script that is not read by a shell.
func (d *randomRepository) spaced(folder string) string {
	d.n++
	name := fmt.Sprintf("s '%03d.sh", d.n)
	d.scripts = append(d.scripts, filepath.Join(folder, name))
	return name
}

// write writes a repository and returns its files by name.
func (d *randomRepository) write() map[string]string {
	files := map[string]string{}
	all := map[string]any{}
	for n := range rapid.IntRange(1, 3).Draw(d.T, "servers") {
		all[fmt.Sprint("server", n)] = d.server()
	}
	text, _ := json.MarshalIndent(map[string]any{"mcpServers": all}, "", " ")
	files[".mcp.json"] = plainJSON(text)
	hook := map[string]any{"type": "command"}
	if rapid.Bool().Draw(d.T, "program") {
		hook["command"], hook["args"] = d.text("program"), []string{d.text("argument"), "./" + d.spaced("")}
	} else {
		hook["command"] = "sh " + d.script("") + " # " + d.text("hook")
	}
	d.maybe("if", func() { hook["if"] = "Bash(" + d.name() + " *)" })
	rule := "Bash(" + d.name() + " *)"
	text, _ = json.MarshalIndent(map[string]any{
		"hooks":       map[string]any{"PreToolUse": []any{map[string]any{"matcher": d.name(), "hooks": []any{hook}}}},
		"permissions": map[string]any{"allow": []string{rule, "Bash(" + d.name() + "$X)"}},
	}, "", " ")
	files[".claude/settings.json"] = plainJSON(text)
	files[".claude/commands/c.md"] = "---\nallowed-tools: Bash(" + d.name() + ":*)\n---\nhello !`sh " + d.script("") + " " + d.name() + "` and !`" + d.name() + "`\n"
	files[".gemini/commands/g.toml"] = "prompt = \"none\"\n"
	files[".claude/skills/s/SKILL.md"] = "---\nname: s\ndescription: d\nallowed-tools: Bash(" + d.name() + ":*)\n---\n!`" + d.name() + "` text\n"
	for _, name := range d.scripts {
		files[name] = "true\n"
	}
	files["sub/keep"] = ""
	return files
}

// plainJSON returns JSON with unescaped &, < and >.
func plainJSON(text []byte) string {
	return strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(text))
}

// house is a home folder with a repository.
type house struct {
	home, root string
}

func (h house) write(t *rapid.T, files map[string]string) {
	for name, text := range files {
		path := filepath.Join(h.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (h house) trust() *consent.Trust {
	p := &app.Process{Home: h.home, Now: time.Now}
	return p.Trust(app.Folders{Config: filepath.Join(h.home, "config")}, settings.New(app.Registry()), h.root)
}

// The consent prompt, the lists and the JSON show everything that decides which programs run and
// which data is sent, word for word. Any change of it requires consent again (D-122).
func TestConsentShowsEveryEffect(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		h := house{dir, filepath.Join(dir, "project")}
		if err := os.MkdirAll(filepath.Join(h.root, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		d := &randomRepository{T: t}
		files := d.write()
		h.write(t, files)
		for place, text := range h.shown(t) {
			for _, literal := range d.literals {
				if !strings.Contains(text, literal) {
					t.Fatalf("%s does not show %q:\n%s\nof %s", place, literal, text, files)
				}
			}
		}
		if _, err := h.trust().Answer(true); err != nil {
			t.Fatal(err)
		}
		h.asksAgain(t, d, files)
	})
}

// shown returns the text about the repository that a user reads, by the place that shows it.
func (h house) shown(t *rapid.T) map[string]string {
	trust := h.trust()
	waiting, err := trust.WaitingItems()
	if err != nil || len(waiting) < 5 {
		t.Fatalf("%d items wait, %v", len(waiting), err)
	}
	var question []string
	for _, part := range trust.Parts(waiting) {
		question = append(append(question, part.Title), part.Lines...)
	}
	lines, err := trust.Describe()
	if err != nil {
		t.Fatal(err)
	}
	report, err := trust.Report()
	if err != nil {
		t.Fatal(err)
	}
	text, err := rawjson.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var read consent.Report
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	inJSON := []string{}
	configured, _ := servers.Find(servers.Locations{Locations: trustedfile.Locations{Home: h.home, Workspace: h.root}})
	var got []string // the output of mcp get, and the consent prompt for other items
	for _, s := range configured.Servers {
		got = append(got, s.Describe()...)
	}
	for _, item := range read.Items {
		inJSON = append(inJSON, item.Name)
		for _, p := range item.Effects {
			inJSON = append(inJSON, p.Key, p.Text)
		}
		if item.Kind != consent.KindServer {
			got = append(append(got, item.Name), item.Effects.Describe()...)
		}
	}
	return map[string]string{
		"the question": strings.Join(question, "\n"), "the list": strings.Join(lines, "\n"), "the JSON": strings.Join(inJSON, "\n"), "mcp get": strings.Join(got, "\n"),
	}
}

// asksAgain changes each literal and each script in turn and checks that the change requires
// consent.
func (h house) asksAgain(t *rapid.T, d *randomRepository, files map[string]string) {
	asked := func() bool {
		all, err := h.trust().Review()
		return err == nil && slices.ContainsFunc(all, func(r consent.ReviewedItem) bool { return r.State.NeedsAnswer() })
	}
	if asked() {
		lines, _ := h.trust().Describe()
		t.Fatalf("what was agreed to is asked about:\n%s", strings.Join(lines, "\n"))
	}
	for _, literal := range d.literals {
		quoted, _ := json.Marshal(literal)
		for _, written := range []string{literal, strings.Trim(plainJSON(quoted), `"`)} {
			for name, text := range files {
				if !strings.Contains(text, written) {
					continue
				}
				h.write(t, map[string]string{name: strings.ReplaceAll(text, written, "x"+written)})
				if !asked() {
					t.Fatalf("a change of %q in %s is not asked about", literal, name)
				}
				h.write(t, map[string]string{name: text})
			}
		}
	}
	for _, script := range d.scripts {
		h.write(t, map[string]string{script: "evil\n"})
		if !asked() {
			lines, _ := h.trust().Describe()
			t.Fatalf("a change of %s is not asked about:\n%s", script, strings.Join(lines, "\n"))
		}
		h.write(t, map[string]string{script: "true\n"})
	}
}
