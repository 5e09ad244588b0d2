package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"mvdan.cc/sh/v3/syntax"

	"agent/docs"
	"agent/internal/app"
	"agent/internal/command"
	"agent/internal/settings"
	"agent/internal/slash"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	codeSpan  = regexp.MustCompile("`(/[a-z]+(?: [^`]*)?)`")
)

// pagesOf calls visit with the name and the text of each page for users.
func pagesOf(t *testing.T, visit func(name, text string)) {
	t.Helper()
	err := fs.WalkDir(docs.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(docs.Files, name)
		visit(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	visit("README", string(text))
}

// The program accepts the commands, arguments, flags and settings in the examples of the
// documentation.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	count := 0
	registry := app.Registry()
	pagesOf(t, func(name, text string) {
		for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
			if block[1] != "sh" {
				continue
			}
			file, err := syntax.NewParser().Parse(strings.NewReader(block[2]), name)
			if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, block[2])
				continue
			}
			syntax.Walk(file, func(node syntax.Node) bool {
				call, is := node.(*syntax.CallExpr)
				if !is {
					return true
				}
				var words []string
				for _, arg := range call.Args {
					words = append(words, plainWord(arg))
				}
				if len(words) > 0 && (words[0] == "agent" || words[0] == "bin/agent") {
					count++
					if err := parseExample(registry, words[1:]); err != nil {
						t.Errorf("%s: %s: %v", name, strings.Join(words, " "), err)
					}
				}
				return true
			})
		}
	})
	if count < 100 {
		t.Errorf("only %d examples were found", count)
	}
}

// plainWord returns a word of a shell command without quotes. It keeps expansions unexpanded.
func plainWord(word *syntax.Word) string {
	var b strings.Builder
	var write func(parts []syntax.WordPart)
	write = func(parts []syntax.WordPart) {
		for _, part := range parts {
			switch part := part.(type) {
			case *syntax.Lit:
				b.WriteString(part.Value)
			case *syntax.SglQuoted:
				b.WriteString(part.Value)
			case *syntax.DblQuoted:
				write(part.Parts)
			default:
				b.WriteString("EXPANSION")
			}
		}
	}
	write(word.Parts)
	return b.String()
}

// parseExample checks the arguments of an example against the commands, without running them.
func parseExample(registry *settings.Registry, args []string) error {
	root := testRoot()
	root.InitDefaultVersionFlag()
	cmd, rest, err := root.Find(withSessionID(args))
	if err != nil {
		return err
	}
	if cmd.Name() == "help" {
		return nil
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if set := cmd.Flags().Lookup("set"); set != nil && set.Changed {
		for _, value := range *set.Value.(repeated).values {
			key, _, _ := strings.Cut(value, "=")
			if _, err := registry.Lookup(key); err != nil {
				return err
			}
		}
	}
	left := cmd.Flags().Args()
	if cmd == root {
		return mistyped(root, left)
	}
	return cmd.ValidateArgs(left)
}

// The documentation names only slash commands that exist.
func TestSlashCommandsOfTheDocs(t *testing.T) {
	t.Parallel()
	w := world{process: &app.Process{}}
	commands := slash.New(t.Context(), slash.Deps{Settings: settings.New(app.Registry())}, append(w.shellCommands(nil), command.Command{Name: "login"})...)
	known := []string{"review", "leave", "board", "tmp", "run", "proc", "path", "ticket", "pdf", "permissions", "memory", "status"} // commands of the screen, folders, and examples
	for _, c := range commands.All() {
		known = append(append(known, c.Name), c.Aliases...)
	}
	pagesOf(t, func(name, text string) {
		var lines []string
		for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
			lines = append(lines, span[1])
		}
		for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(block[2]) {
				if line = strings.TrimPrefix(strings.TrimSpace(line), "> "); block[1] == "" && strings.HasPrefix(line, "/") {
					lines = append(lines, line)
				}
			}
		}
		for _, line := range lines {
			if word := strings.Fields(line)[0][1:]; !strings.ContainsAny(word, "/.:") && !slices.Contains(known, word) {
				t.Errorf("%s names /%s, which is no command", name, word)
			}
		}
	})
}

// statusNote matches the comment after a command in an example that does not exit with 0.
var statusNote = regexp.MustCompile(` +# exit code (\d+)$`)

// Examples in blocks marked console print the output in the documentation, where … stands for any
// text.
func TestExamplesRun(t *testing.T) {
	t.Parallel()
	dir, count := t.TempDir(), 0
	pagesOf(t, func(name, text string) {
		script := ""
		for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
			if block[1] == "console" {
				script += consoleScript(t, block[2])
				count++
			}
		}
		if script == "" {
			return
		}
		file := filepath.Join(dir, strings.ReplaceAll(strings.TrimSuffix(name, ".md"), "/", "-")+".txtar")
		if err := os.WriteFile(file, []byte("exec git init -q .\n"+script), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if count == 0 {
		t.Error("no example is marked console")
	}
	testscript.Run(t, scriptParams(dir))
}

// consoleScript returns the script for a block of commands after $ and their outputs.
func consoleScript(t *testing.T, block string) (script string) {
	t.Helper()
	for _, part := range strings.Split("\n"+block, "\n$ agent ")[1:] {
		line, output, _ := strings.Cut(part, "\n")
		status, where := "0", "stdout"
		if code := statusNote.FindStringSubmatch(line); code != nil {
			status, where, line = code[1], "stderr", strings.TrimSuffix(line, code[0])
		}
		file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
		if err != nil {
			t.Fatal(err)
		}
		script += "runs " + status
		for _, arg := range file.Stmts[0].Cmd.(*syntax.CallExpr).Args {
			script += " " + quotedForScript(plainWord(arg))
		}
		want := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(output, "\n")), "…", ".*")
		script += "\n" + where + " " + quotedForScript(strings.ReplaceAll(want, "\n", `\n`)) + "\n"
	}
	return script
}

// quotedForScript quotes a word for a line of a script.
func quotedForScript(word string) string { return "'" + strings.ReplaceAll(word, "'", "''") + "'" }
