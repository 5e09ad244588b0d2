package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/internal/app"
	"agent/internal/command"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/slash"
	"agent/internal/tools"
	"agent/internal/tui"
	"agent/internal/tui/keymap"
	"agent/internal/tui/term"
)

var updateReference = flag.Bool("update-reference", false, "write the generated pages of docs/reference anew")

const generatedNote = "<!-- generated: make docs -->\n\n"

// testRoot returns the commands of the program, without their effects.
func testRoot() *cobra.Command {
	root := newRoot(world{}, func(context.Context, world, sessionOptions) error { return nil })
	root.InitDefaultHelpCmd()
	return root
}

// The reference pages equal the declarations in the program. "make docs" updates them.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	registry := app.Registry()
	for name, page := range map[string]string{
		"cli.md":        cliPage(testRoot()),
		"commands.md":   commandsPage(t, registry),
		"settings.md":   settingsPage(registry),
		"keys.md":       keysPage(),
		"tools.md":      toolsPage(),
		"exit-codes.md": exitCodesPage(),
		"providers.md":  providersPage(),
	} {
		file := filepath.Join("..", "..", "docs", "reference", name)
		if *updateReference {
			if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(have), page); diff != "" {
			t.Errorf("%s is out of date; make docs writes it (-file +program):\n%s", name, diff)
		}
	}
}

// cell returns text escaped for a cell of a Markdown table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", `\|`), "\n", " ")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func cliPage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands and flags\n\n" + generatedNote + "This page lists all commands of the command line. `agent COMMAND --help` prints the help of one command.\n")
	var write func(c *cobra.Command)
	write = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "completion" && c.HasParent() && c.Parent() != root {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n```\n%s\n```\n", c.CommandPath(), cell(strings.TrimSuffix(c.Short, ".")), c.UseLine())
		if c.Example != "" {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n"))
		}
		rows := 0
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || c != root && root.Flags().Lookup(f.Name) != nil && root.Flags().Lookup(f.Name).Usage == f.Usage {
				return
			}
			if rows++; rows == 1 {
				b.WriteString("\n| flag | meaning |\n|---|---|\n")
			}
			value, help := pflag.UnquoteUsage(f)
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(name+" "+value), cell(help))
		})
		for _, sub := range c.Commands() {
			write(sub)
		}
	}
	write(root)
	return b.String()
}

func commandsPage(t *testing.T, registry *settings.Registry) string {
	values := settings.New(registry)
	w := world{process: &app.Process{}}
	commands := slash.New(t.Context(), slash.Deps{Settings: values}, append(w.shellCommands(nil), command.Command{Name: "login", Help: "store an API key, or log in to an account"})...)
	var b strings.Builder
	b.WriteString("# Slash commands\n\n" + generatedNote + "A slash command is a message that starts with `/`. `/help COMMAND` explains a command, and Tab completes a name.\n" +
		"`!COMMAND` runs a shell command, and `@PATH` includes a file in a message.\n")
	group := ""
	for _, c := range commands.All() {
		title := c.Group
		if title == "" {
			title = "Help"
		}
		if title != group {
			group = title
			fmt.Fprintf(&b, "\n## %s\n\n| command | does |\n|---|---|\n", title)
		}
		name := "`/" + c.Name + "`"
		if len(c.Aliases) > 0 {
			name += ", `/" + strings.Join(c.Aliases, "`, `/") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, cell(c.Help))
		for _, form := range c.Forms {
			if form.Args != "" && form.Does != "" {
				fmt.Fprintf(&b, "| `/%s %s` | %s |\n", c.Name, cell(form.Args), cell(form.Does))
			}
		}
	}
	return b.String()
}

func settingsPage(registry *settings.Registry) string {
	var b strings.Builder
	b.WriteString("# Settings\n\n" + generatedNote + "Change a setting with `/set KEY VALUE`, `--set KEY=VALUE` or in a profile. `agent settings KEY` shows the value of a setting.\n" +
		"In `/set` and `--set`, you can write a number of tokens as `32k` or `1.5M`.\n" +
		"Some settings are marked _kept_. If you change such a setting on the screen, `agent` stores it for later sessions. `/set unset KEY` resets it.\n")
	var category settings.Category
	for _, spec := range registry.Specs() {
		if spec.Category != category {
			category = spec.Category
			fmt.Fprintf(&b, "\n## %s\n\n| setting | default | takes | meaning |\n|---|---|---|---|\n", category)
		}
		standard := code(spec.Default().String())
		if standard == "" {
			standard = "unset: " + spec.Unset
		}
		help := spec.Help
		if spec.Environment != "" {
			help += " (variable `" + spec.Environment + "`)"
		}
		if len(spec.Aliases) > 0 {
			help += " (also `" + strings.Join(spec.Aliases, "`, `") + "`)"
		}
		if spec.Person {
			help += " _kept_"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", spec.Key, cell(standard), cell(spec.ValidValuesText()), cell(help))
	}
	return b.String()
}

func keysPage() string {
	var b strings.Builder
	b.WriteString("# Keys\n\n" + generatedNote + "This page lists the default keys of the prompt, and the names of their actions for `keys.json`. `/keys` lists your own keys.\n\n| key | does | action |\n|---|---|---|\n")
	for _, row := range keymap.Default().Rows() {
		for _, a := range row.Actions {
			does := row.Guide
			if does == "" {
				does = row.Does
			}
			if does == "" {
				does = strings.ReplaceAll(a.Name, "-", " ")
			}
			var labels []string
			for _, key := range a.Keys {
				labels = append(labels, term.KeyLabel(key))
			}
			name := code(a.Name)
			if a.Fixed {
				name += " (cannot be changed)"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(strings.Join(labels, ", ")), cell(does), name)
		}
	}
	b.WriteString("\n## With a screen reader\n\n| key | does |\n|---|---|\n")
	for _, key := range tui.PlainKeys() {
		fmt.Fprintf(&b, "| %s | %s |\n", cell(key.Name), cell(key.Does))
	}
	return b.String()
}

func toolsPage() string {
	var b strings.Builder
	b.WriteString("# Tools\n\n" + generatedNote + "This page lists the built-in tools of the model. MCP servers add more tools. `/tools` lists the tools of a session.\n\n" +
		"| tool | effect | offered | does |\n|---|---|---|---|\n")
	for _, tool := range tools.Default() {
		var effects []string
		for _, e := range []struct {
			is   bool
			name string
		}{{tool.Edits, "edits files"}, {tool.Runs, "runs commands"}, {tool.Network, "uses the network"}, {tool.Asks, "asks you"}, {tool.Remembers, "keeps notes"}, {tool.Stateful, "changes the session"}, {tool.Reads, "reads"}} {
			if e.is {
				effects = append(effects, e.name)
			}
		}
		offered := "always"
		switch {
		case tool.Unoffered:
			offered = "no, but its calls are answered"
		case tool.Rare:
			offered = "with `tools` `all`"
		case tool.Form != "":
			offered = "with `edit-tool` `" + string(tool.Form) + "`"
		case !tool.Essential:
			offered = "with a context window from 8,192 tokens"
		}
		does, _, _ := strings.Cut(tool.Description, ". ")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", tool.Name, strings.Join(effects, ", "), offered, cell(strings.TrimSuffix(does, ".")))
	}
	return b.String()
}

func exitCodesPage() string {
	var b strings.Builder
	b.WriteString("# Exit codes\n\n" + generatedNote + "The exit code of `agent -p` says what a script should do next.\n\n| code | meaning | retry |\n|---|---|---|\n")
	for _, s := range exitStatuses {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", s.Code, cell(s.Means), s.Retry)
	}
	return b.String()
}

func providersPage() string {
	var b strings.Builder
	b.WriteString("# Providers\n\n" + generatedNote + "This page lists the names for `--provider`, and the environment variables for API keys. Without a variable, store the key with `agent login NAME`.\n\n" +
		"| name | provider | address | variable |\n|---|---|---|---|\n")
	for _, v := range vendor.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", v.Name, v.Title, code(v.BaseURL), code(v.KeyVariable))
	}
	return b.String()
}

// The pages document every environment variable that the program reads.
func TestVariablesAreDocumented(t *testing.T) {
	t.Parallel()
	page := readDoc(t, "reference/environment.md") + readDoc(t, "reference/providers.md") + readDoc(t, "reference/settings.md")
	read := regexp.MustCompile(`(?:\.get|\.Env|Getenv|LookupEnv|environ)\("([A-Z][A-Z0-9_]+)"\)`)
	found := 0
	eachSource(t, func(file, text string) {
		for _, match := range read.FindAllStringSubmatch(text, -1) {
			found++
			if !strings.Contains(page, "`"+match[1]+"`") {
				t.Errorf("%s reads %s, which docs/reference/environment.md does not name", file, match[1])
			}
		}
	})
	if found == 0 {
		t.Error("no variable found")
	}
}

// The page of files documents every file below the folders of the program.
func TestFilesAreDocumented(t *testing.T) {
	t.Parallel()
	page := readDoc(t, "reference/files.md")
	joined := regexp.MustCompile(`Join\((?:f|folders|p\.folders|[a-z.]+\.folders|at\.folders)\.(?:Config|Data|State|Cache), "([a-z.-]+)"`)
	found := 0
	eachSource(t, func(file, text string) {
		for _, match := range joined.FindAllStringSubmatch(text, -1) {
			found++
			if !strings.Contains(page, match[1]) {
				t.Errorf("%s has a file %s, which docs/reference/files.md does not name", file, match[1])
			}
		}
	})
	if found < 5 {
		t.Errorf("only %d files found", found)
	}
}

func eachSource(t *testing.T, do func(file, text string)) {
	t.Helper()
	for _, folder := range []string{"../../internal", "../../cmd/agent"} {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testing/") {
				return err
			}
			text, err := os.ReadFile(file)
			do(file, string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// walkCommands calls visit with a command and all visible commands below it.
func walkCommands(c *cobra.Command, visit func(*cobra.Command)) {
	if c.Hidden || c.Name() == "completion" { // from the library
		return
	}
	visit(c)
	for _, sub := range c.Commands() {
		walkCommands(sub, visit)
	}
}

// The help of a setting has at most 20 words.
func TestHelpOfSettingsIsShort(t *testing.T) {
	t.Parallel()
	for _, spec := range app.Registry().Specs() {
		if words := len(strings.Fields(spec.Help)); words > 20 {
			t.Errorf("%s: %d words of help, more than 20", spec.Key, words)
		}
	}
}

// Every command has a group, an example, and a label of at most 12 words. The values of its flags
// have names in capitals.
func TestHelpHasGroupsAndExamples(t *testing.T) {
	t.Parallel()
	root := testRoot()
	root.InitDefaultCompletionCmd()
	var lacking []string
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		if c.GroupID == "" {
			lacking = append(lacking, c.CommandPath()+": group")
		}
		if c.Example == "" && c.Name() != "completion" && c.Name() != "help" && c.Name() != "schema" {
			lacking = append(lacking, c.CommandPath()+": example")
		}
	}
	if len(lacking) > 0 {
		t.Errorf("help lacks %s", strings.Join(lacking, ", "))
	}
	walkCommands(root, func(c *cobra.Command) {
		if words := len(strings.Fields(c.Short)); words > 12 {
			t.Errorf("%s: its label has %d words, more than 12", c.CommandPath(), words)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name != strings.ToUpper(name) {
				t.Errorf("%s --%s takes %q, which is no name in capitals", c.CommandPath(), f.Name, name)
			}
		})
	})
	for _, group := range flagGroups {
		for name := range strings.FieldsSeq(group.names) {
			if root.Flags().Lookup(name) == nil {
				t.Errorf("there is no flag --%s", name)
			}
		}
	}
	for _, group := range commandGroups {
		for name := range strings.FieldsSeq(group.names) {
			if !slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }) && name != "help" {
				t.Errorf("there is no command %s", name)
			}
		}
	}
}
