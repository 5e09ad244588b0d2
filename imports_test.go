// Package agent_test keeps the import rules of the architecture (docs/dev/architecture.md).
package agent_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room is a line of the architecture's table: what a package may import of this
// module, and why no more. A package below a room follows the first line that holds
// it; without one of its own it follows the room's and may import its siblings.
type room struct {
	name string
	may  []string
	why  string
}

var rooms = []room{
	{"cmd/agent", []string{"docs", "internal", "prompts"}, "wiring reaches everything"},
	{"cmd/agent-lab", []string{"internal/app", "internal/chat", "internal/cmdline", "internal/compression", "internal/history", "internal/llm/vendor", "internal/offline", "internal/session", "internal/settings", "internal/setup/agents", "internal/setup/source", "internal/tokens", "internal/tools", "prompts"}, "it measures the context engine, and no conversation"},
	{"internal/front/screen", []string{"internal/app", "internal/atcmd", "internal/chat", "internal/command", "internal/git", "internal/gitdiff", "internal/history", "internal/picture", "internal/provider", "internal/session", "internal/settings", "internal/setup/consent", "internal/tools", "internal/tui"}, "it hands a conversation to the interface"},
	{"internal/front/script", []string{"internal/app", "internal/atcmd", "internal/chat", "internal/command", "internal/console", "internal/headless", "internal/history", "internal/llm", "internal/mcp/bridge", "internal/setup/consent", "internal/review", "internal/shape", "internal/slash"}, "it runs a conversation to its end"},
	{"internal/front", []string{"internal/app", "internal/atcmd", "internal/chat"}, "a front end runs conversations"},
	{"internal/cli", []string{"internal/app", "internal/nearest", "internal/tui/style"}, "a command line explains itself, whatever its commands do"},
	{"internal/doctor", []string{"internal/app", "internal/chat", "internal/compression", "internal/llm", "internal/login", "internal/mcp/bridge", "internal/notes", "internal/protect/survey", "internal/provider", "internal/sandbox", "internal/settings", "internal/setup", "internal/websearch"}, "it looks at everything and changes nothing"},
	{"internal/app/serving", []string{"internal/atcmd", "internal/chat/window", "internal/command", "internal/history", "internal/llm/vendor", "internal/mcp", "internal/nearest", "internal/sandbox", "internal/settings", "internal/setup", "internal/table", "internal/tools"}, "it knows servers, and neither the loop nor the record"},
	{"internal/app/gates", []string{"internal/chat", "internal/check", "internal/command", "internal/gate", "internal/history", "internal/hook", "internal/ignore", "internal/protect", "internal/rules", "internal/sandbox", "internal/settings", "internal/setup", "internal/shell", "internal/snapshot", "internal/tools"}, "a gate knows the calls of a conversation, and neither its record nor its endpoint"},
	{"internal/app/brought", []string{"internal/cmdline", "internal/review", "internal/shape", "internal/app/gates", "internal/app/serving", "internal/atcmd", "internal/chat", "internal/command", "internal/gitdiff", "internal/history", "internal/nearest", "internal/protect", "internal/settings", "internal/setup", "internal/text", "internal/tools", "prompts"}, "it knows what a message can call, and sends nothing"},
	{"internal/app/team", []string{"internal/atcmd", "internal/chat", "internal/gate", "internal/setup/agents", "internal/text/lines", "internal/text/textdiff", "internal/tools"}, "it runs agents, and knows neither their records nor their models"},
	{"internal/app", []string{"internal/hosts", "internal/text/lines", "internal/atcmd", "internal/chat", "internal/check", "internal/cmdline", "internal/command", "internal/compression", "internal/find", "internal/gate", "internal/git", "internal/gitdiff", "internal/history", "internal/hook", "internal/ignore", "internal/llm", "internal/mcp", "internal/nearest", "internal/notes", "internal/policy", "internal/protect", "internal/provider", "internal/rules", "internal/sandbox", "internal/session", "internal/settings", "internal/setup", "internal/share", "internal/shell", "internal/slash", "internal/snapshot", "internal/table", "internal/tempdir", "internal/text/textdiff", "internal/todo", "internal/tokens", "internal/tools", "internal/trace", "internal/tui/style", "internal/workspace", "internal/worktree", "docs", "internal/manual", "prompts", "internal/websearch", "internal/login", "internal/fetch"}, "it puts a conversation together and knows no front end, but for the names of the themes"},
	{"internal/tui/link", nil, "what a text names is in the text, but for whether a file is there"},
	{"internal/tui/style", []string{"internal/tui/link", "internal/tui/style"}, "how text looks needs nothing but where it leads"},
	{"internal/tui/highlight", []string{"internal/lexer", "internal/tui/style"}, "code becomes styled lines"},
	{"internal/tui/markdown", []string{"internal/text/dialect", "internal/tui/style", "internal/tui/highlight"}, "markdown becomes styled lines"},
	{"internal/tui/patch", []string{"internal/text/textdiff", "internal/tui/style", "internal/tui/highlight"}, "a diff becomes styled lines"},
	{"internal/tui/edit", []string{"internal/atcmd", "internal/history", "internal/tui/style"}, "the prompt is a value that knows neither keys nor screen"},
	{"internal/tui/edit/vim", []string{"internal/tui/edit"}, "the keys of Vim are a state machine on an editor"},
	{"internal/tui/keymap", []string{"internal/nearest", "internal/tui/edit", "internal/tui/term"}, "which key does what is a table, and does nothing"},
	{"internal/tui/term", []string{"internal/tui/style"}, "the terminal does not know what it shows"},
	{"internal/tui/question", []string{"internal/chat", "internal/command", "internal/tools", "internal/tui/style", "internal/tui/patch", "internal/tui/edit", "internal/tui/term", "internal/tui/markdown"}, "consent knows what is asked and the keys, not the rest of the screen"},
	{"internal/tui/transcript", []string{"internal/tui/style"}, "what was said can be laid out again and does not know what it is about"},
	{"internal/tui/pager", []string{"internal/tui/style", "internal/tui/term", "internal/tui/transcript"}, "what is read does not matter to how it is read"},
	{"internal/tui/picker", []string{"internal/command", "internal/tui/style", "internal/tui/edit", "internal/tui/term"}, "a list to choose from runs nothing"},
	{"internal/tui/input", []string{"internal/atcmd", "internal/command", "internal/history", "internal/picture", "internal/tui/edit", "internal/tui/edit/vim", "internal/tui/picker", "internal/tui/style", "internal/tui/term"}, "the prompt knows what can be typed and sends nothing"},
	{"internal/testing/vt", nil, "a terminal for tests needs nothing"},
	{"internal/tui/mailbox", []string{"internal/chat"}, "it carries events and shows none"},
	{"internal/tui", []string{"internal/chat", "internal/gate", "internal/command", "internal/tools", "internal/history", "internal/atcmd", "internal/picture", "internal/testrun"}, "the screen shows events and commands and knows their types"},
	{"internal/acp", []string{"internal/app", "internal/atcmd", "internal/chat", "internal/command", "internal/gate", "internal/history", "internal/provider", "internal/session", "internal/settings", "internal/setup/consent", "internal/text", "internal/todo", "internal/tools"}, "it runs conversations for an editor"},
	{"internal/headless", []string{"internal/atcmd", "internal/tools", "internal/chat", "internal/history", "internal/llm", "internal/text/lines"}, "it prints the events of a turn"},
	{"internal/version", nil, "it is initialized before whatever it would import"},
	{"internal/find", []string{"internal/history", "internal/offline/logs", "internal/session", "internal/text/lines"}, "it reads records and says where words are, whoever asks"},
	{"internal/review", []string{"internal/text/lines", "internal/text/textdiff"}, "it compares quotes with a diff, and knows neither models nor git"},
	{"internal/policy", []string{"internal/gate", "internal/llm/vendor", "internal/provider", "internal/settings", "internal/setup/permissions", "internal/websearch"}, "it compares names with lists, and neither asks nor runs"},
	{"internal/notes", []string{"internal/git/layout", "internal/setup/source"}, "it keeps facts and compares files, and knows neither sessions nor tools"},
	{"internal/offline/logs", []string{"internal/history", "internal/pattern", "internal/text/lines"}, "it reads what others wrote, and replays nothing"},
	{"internal/audit", []string{"internal/history", "internal/session"}, "it reads records, and knows nothing of what they are about"},
	{"internal/share", []string{"internal/history", "internal/rawjson", "internal/secret", "internal/text/dialect", "internal/text/textdiff", "internal/words"}, "a page for other people is made of entries alone"},
	{"internal/offline", []string{"internal/chat", "internal/command", "internal/compression", "internal/history", "internal/llm/vendor", "internal/provider/catalogue", "internal/session", "internal/settings", "internal/tools"}, "it drives the real pre-send window with what a file holds"},
	{"internal/slash", []string{"internal/command", "internal/table", "internal/chat", "internal/find", "internal/gate", "internal/history", "internal/manual", "internal/notes", "internal/offline/logs", "internal/settings", "internal/session", "internal/snapshot", "internal/nearest", "internal/tools", "internal/websearch"}, "commands steer the loop and know no screen"},
	{"internal/command", []string{"internal/table", "internal/nearest"}, "a command is a declaration, whatever it does"},
	{"internal/chat/past", []string{"internal/chat/window", "internal/compression", "internal/history", "internal/session", "internal/snapshot", "internal/todo", "internal/tools"}, "it knows what was, and nothing of turns"},
	{"internal/chat/broke", []string{"internal/history", "internal/llm", "prompts"}, "it compares requests, and sends none"},
	{"internal/chat/gauge", []string{"internal/history"}, "it compares sizes, and knows neither caches nor prices"},
	{"internal/chat/why", []string{"internal/chat/broke", "internal/chat/window", "internal/compression", "internal/history", "prompts"}, "it follows what left a context, and changes nothing"},
	{"internal/chat/window", []string{"internal/compression", "internal/history", "internal/llm", "internal/settings", "internal/todo", "internal/tokens", "prompts"}, "it knows what fits, and neither turns nor tools"},
	{"internal/chat", []string{"internal/hosts", "internal/gate", "internal/setup/hooks", "internal/llm", "internal/tools", "internal/compression", "internal/history", "internal/session", "internal/settings", "internal/snapshot", "internal/atcmd", "internal/todo", "internal/tokens"}, "the loop knows what it drives and not who watches"},
	{"internal/gate", []string{"internal/cmdline", "internal/protect", "internal/rules", "internal/settings", "internal/tools"}, "a gate knows the call, and neither the loop nor the screen"},
	{"internal/compression", []string{"internal/history", "internal/llm/vendor", "internal/nearest", "internal/text/patch", "internal/todo"}, "the engine is pure"},
	{"internal/history", nil, "the content model is the bottom"},
	{"internal/tokens", nil, "counting text needs nothing"},
	{"internal/todo", nil, "a list of things to do needs nothing"},
	{"internal/git/layout", nil, "it reads where git keeps what belongs to a work tree, and runs nothing"},
	{"internal/git/index", nil, "it reads one file of a repository and runs nothing"},
	{"internal/git", []string{"internal/sandbox"}, "git runs in a sandbox and knows nobody"},
	{"internal/ignore", []string{"internal/git"}, "listing files needs git at most"},
	{"internal/nearest", nil, "comparing words needs nothing"},
	{"internal/llm/vendor", nil, "a vendor is a value"},
	{"internal/llm/refusal", []string{"internal/llm", "internal/llm/vendor"}, "what words mean depends on no request"},
	{"internal/llm/openai", []string{"internal/history", "internal/llm"}, "a wire format turns requests into bytes and knows no settings"},
	{"internal/llm/anthropic", []string{"internal/history", "internal/llm"}, "a wire format turns requests into bytes and knows no settings"},
	{"internal/llm", []string{"internal/history", "internal/hosts"}, "a provider turns history into replies"},
	{"internal/lexer", nil, "reading a grammar needs nothing"},
	{"internal/gitdiff", []string{"internal/git", "internal/sandbox"}, "it runs git and nothing else"},
	{"internal/keyring", nil, "it keeps secrets and knows not for whom"},
	{"internal/login", []string{"internal/hosts", "internal/keyring", "internal/llm"}, "it gets tokens and knows neither endpoints nor settings"},
	{"internal/provider", []string{"internal/hosts", "internal/keyring", "internal/llm", "internal/settings", "internal/login"}, "it turns settings into a client"},
	{"internal/protect/survey", []string{"internal/git/index", "internal/protect"}, "it looks at folders and knows names, and what git tracks"},
	{"internal/protect", nil, "it goes by names and opens nothing"},
	{"internal/sandbox/confine", nil, "it is initialised before the rest of the program, of which it needs nothing"},
	{"internal/sandbox/keeper", []string{"internal/sandbox/confine"}, "it starts helpers and looks after processes, and decides nothing"},
	{"internal/sandbox", []string{"internal/git/layout", "internal/protect"}, "a sandbox knows neither tools nor settings"},
	{"internal/text/lines", nil, "splitting text needs nothing"},
	{"internal/text/textfile", []string{"internal/text/lines"}, "a text file is text, and knows no disk"},
	{"internal/text/textdiff", []string{"internal/text/lines"}, "comparing texts needs nothing else"},
	{"internal/text/compact", nil, "repeated lines are found in a text alone"},
	{"internal/text/indent", nil, "shifting lines needs nothing"},
	{"internal/text/dialect", nil, "it parses Markdown, and lays out nothing"},
	{"internal/text/quote", []string{"internal/text/indent", "internal/text/lines", "internal/text/textdiff", "internal/text/textfile"}, "a quote is looked for in a text, and knows no disk"},
	{"internal/text/notebook", []string{"internal/text/lines"}, "a notebook becomes a text and comes back, and knows no disk"},
	{"internal/text/patch", []string{"internal/text/indent", "internal/text/lines", "internal/text/textdiff", "internal/text/textfile"}, "a patch is worked out on texts, and knows no disk"},
	{"internal/outline", []string{"internal/text/lines", "internal/lexer", "internal/nearest"}, "an outline is of a text, and knows no disk"},
	{"internal/testing", []string{"internal/history", "internal/llm", "internal/mcp"}, "models, servers, terminals and pictures for tests know the contracts that they stand in for, and no program imports them"},
	{"internal/testrun", nil, "it reads what programs print"},
	{"internal/search", nil, "it searches the files it is handed"},
	{"internal/workspace", []string{"internal/ignore", "internal/nearest"}, "it confines whoever uses it"},
	{"internal/cmdline", nil, "reading a command line runs nothing"},
	{"internal/rules", []string{"internal/cmdline"}, "a rule is about commands and files, not about tools"},
	{"internal/shell", []string{"internal/git", "internal/sandbox", "internal/text/lines"}, "it runs what it is handed and decides nothing"},
	{"internal/websearch", []string{"internal/fetch"}, "it asks services and knows neither tools nor the loop"},
	{"internal/hosts", nil, "it watches requests, whoever makes them"},
	{"internal/fetch", []string{"internal/hosts"}, "it fetches what it is handed"},
	{"internal/snapshot", []string{"internal/git", "internal/ignore", "internal/text/textdiff", "internal/text/textfile", "internal/workspace"}, "it keeps what files held and knows neither tools nor turns"},
	{"internal/tools", []string{"internal/cmdline", "internal/fetch", "internal/git", "internal/history", "internal/ignore", "internal/nearest", "internal/outline", "internal/protect", "internal/rules", "internal/sandbox", "internal/search", "internal/shell", "internal/snapshot", "internal/text", "internal/todo", "internal/workspace", "internal/websearch"}, "a tool knows neither the loop nor the screen"},
	{"internal/atcmd", []string{"internal/history", "internal/ignore", "internal/nearest", "internal/picture", "internal/text/notebook"}, "it writes inclusions in history's format"},
	{"internal/settings", []string{"internal/compression", "internal/nearest"}, "it takes the names of the strategies"},
	{"internal/session", []string{"internal/history"}, "it records history's mutations"},
	{"internal/mcp/bridge", []string{"internal/mcp", "internal/nearest", "internal/picture", "internal/setup/servers", "internal/table", "internal/text", "internal/tools"}, "it brings what servers offer to a conversation, and knows neither the loop nor the screen"},
	{"internal/mcp/catalogue", []string{"internal/mcp", "internal/text/lines"}, "it keeps what servers said and connects to none"},
	{"internal/mcp", []string{"internal/hosts", "internal/sandbox", "internal/shell", "internal/text/lines", "internal/login"}, "it speaks to servers, and knows neither tools nor consent"},
	{"internal/table", nil, "lining texts up needs nothing"},
	{"internal/tempdir", nil, "a folder of one's own needs nothing"},
	{"internal/traits", []string{"internal/text/patch"}, "what a tool declares is plain data, and a call may name its files in a patch"},
	{"internal/pattern", nil, "matching text needs nothing"},
	{"internal/secret", []string{"internal/pattern"}, "what keys look like depends on nothing"},
	{"internal/picture", []string{"internal/sandbox"}, "fitting an image needs its bytes only, and the clipboard a program of the PATH"},
	{"internal/words", nil, "writing numbers and lines needs nothing"},
	{"internal/arguments", nil, "the arguments of a call are what the model wrote"},
	{"internal/disk", nil, "writing files needs nothing"},
	{"internal/worktree", []string{"internal/git", "internal/sandbox", "internal/words", "internal/pattern"}, "a worktree is git's"},
	{"internal/trace", []string{"internal/chat", "internal/hosts", "internal/pattern"}, "a tracer listens"},
	{"internal/shape", nil, "the form of an answer depends on nothing"},
	{"internal/rawjson", nil, "JSON in texts and files needs nothing"},
	{"internal/console", nil, "writing to a terminal needs nothing"},
	{"scripts/mutate", nil, "it breaks the program from outside"},
	{"scripts/foreign", nil, "it checks the types of the program from outside"},
	{"docs", nil, "pages are text"},
	{"internal/manual", nil, "it searches pages and names, whoever asks"},
	{"prompts", nil, "texts need nothing"},
	{"internal/setup/source", []string{"internal/protect", "internal/text/lines"}, "it reads files of which it knows only who may have written them"},
	{"internal/setup/imports", []string{"internal/nearest", "internal/setup/hooks", "internal/setup/jsonfile", "internal/setup/permissions", "internal/setup/servers", "internal/setup/source", "internal/cmdline"}, "it plans from files and starts nothing"},
	{"internal/setup/jsonfile", nil, "it changes files and knows nothing of what they say"},
	{"internal/setup/servers", []string{"internal/nearest", "internal/setup/effect", "internal/setup/jsonfile", "internal/setup/source"}, "it reads who is configured and connects to nobody"},
	{"internal/setup/consent", []string{"internal/cmdline", "internal/git", "internal/nearest", "internal/protect", "internal/rules", "internal/setup/effect", "internal/setup/fill", "internal/setup/source"}, "it keeps answers, and permissions as rules write them, and knows nothing of what is asked about but its content and the files that command lines name"},
	{"internal/setup/agents", []string{"internal/nearest", "internal/setup/effect", "internal/setup/source"}, "it reads who could be asked and asks nobody"},
	{"internal/setup/effect", nil, "a list of texts knows nothing of where they come from"},
	{"internal/check", []string{"internal/cmdline"}, "it compares what checks print, and knows neither the loop nor consent"},
	{"internal/hook", []string{"internal/sandbox", "internal/setup/hooks", "internal/setup/permissions", "internal/shell"}, "it runs hooks on what it is handed, and knows neither tools nor the loop"},
	{"internal/setup/plugins", []string{"internal/setup/source", "internal/tempdir", "internal/text/textdiff"}, "it fetches, keeps and reads folders, and uses nothing of them"},
	{"internal/setup/hooks", []string{"internal/setup/effect", "internal/setup/permissions", "internal/setup/source"}, "it reads files and runs nothing"},
	{"internal/setup/permissions", []string{"internal/cmdline", "internal/setup/source"}, "it reads rules and asks nobody"},
	{"internal/setup/fill", nil, "it fills in texts and reads nothing"},
	{"internal/setup/instructions", []string{"internal/setup/source"}, "it reads files and neither asks nor runs"},
	{"internal/setup", []string{"internal/setup/effect", "internal/setup/fill", "internal/setup/source"}, "it knows names and texts and runs nothing"},
}

// nouns are the packages below all rooms, which every room may import: what they
// promise is needed everywhere and knows nothing of the program.
var nouns = []string{"internal/words", "internal/disk", "internal/rawjson", "internal/pattern", "internal/secret", "internal/traits", "internal/arguments"}

// inner maps packages that are a part of one other package to it: nobody else imports them.
var inner = map[string]string{
	"internal/compression/cacheaware": "internal/compression", // its door is compression.Follower
}

func TestImportRules(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && file != ".") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && entry.IsDir() && file != "." {
			return filepath.SkipDir // a module of its own
		}
		// Tests may reach for more: a scripted server, an oracle.
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			checkImports(t, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, file string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	dir := path.Dir(file)
	rule := slices.IndexFunc(rooms, func(r room) bool { return within(dir, r.name) })
	if rule < 0 {
		t.Errorf("%s: the folder %s has no line in the table of rooms", file, dir)
		return
	}
	r := rooms[rule]
	for _, spec := range parsed.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		imported, ours := strings.CutPrefix(imported, "agent/")
		if outer, is := inner[imported]; is && dir != outer {
			t.Errorf("%s imports %s, which is a part of %s", file, imported, outer)
		}
		if !ours || slices.Contains(nouns, imported) || within(imported, r.name) || slices.ContainsFunc(r.may, func(m string) bool { return within(imported, m) }) {
			continue
		}
		t.Errorf("%s imports %s, but %s may not: %s", file, imported, r.name, r.why)
	}
}

func within(dir, room string) bool { return dir == room || strings.HasPrefix(dir, room+"/") }

// docs/dev/architecture.md leads a stranger to files that there are.
func TestEveryFileOfTheDesignExists(t *testing.T) {
	design, err := os.ReadFile("docs/dev/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile("`((?:cmd|internal)/[^` ]+\\.go)`").FindAllStringSubmatch(string(design), -1)
	if len(files) == 0 {
		t.Error("it names no file")
	}
	for _, file := range files {
		if _, err := os.Stat(file[1]); err != nil {
			t.Error(err)
		}
	}
}
