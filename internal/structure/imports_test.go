package structure

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

// room is a line of the architecture's table. It lists the packages of this module that a package
// may import, with the reason. A subpackage follows the first line that names it. Otherwise it
// follows the line of its parent and may import its siblings.
type room struct {
	name string
	may  []string
	why  string
}

var rooms = []room{
	{"cmd/agent", []string{"docs", "internal", "prompts"}, "wiring reaches everything"},
	{"internal/frontend/background", []string{"internal/app", "internal/atcmd", "internal/chat", "internal/command", "internal/frontend/clients"}, "it runs a conversation that only clients see"},
	{"internal/frontend/clients", []string{"internal/app", "internal/attach", "internal/chat", "internal/command", "internal/gitfiles/layout", "internal/streamjson", "internal/settings"}, "it serves a conversation to clients, and shows nothing"},
	{"internal/frontend/screen", []string{"internal/attach", "internal/frontend/clients", "internal/streamjson", "internal/app", "internal/atcmd", "internal/chat", "internal/command", "internal/git/gitcmd", "internal/gitfiles", "internal/git/diff", "internal/history", "internal/picture", "internal/provider", "internal/session", "internal/settings", "internal/extend/setup/consent", "internal/tools", "internal/tui"}, "it hands a conversation to the interface"},
	{"internal/frontend/script", []string{"internal/frontend/clients", "internal/app", "internal/atcmd", "internal/chat", "internal/command", "internal/base/safeout", "internal/streamjson", "internal/history", "internal/llm", "internal/extend/mcp/bridge", "internal/extend/setup/consent", "internal/review", "internal/base/outputschema", "internal/slash"}, "it runs a conversation to its end"},
	{"internal/front", []string{"internal/app", "internal/atcmd", "internal/chat"}, "a front end runs conversations"},
	{"internal/frontend/cli", []string{"internal/app", "internal/base/suggest", "internal/tui/style"}, "a command line explains itself, whatever its commands do"},
	{"internal/frontend/doctor", []string{"internal/app", "internal/chat", "internal/compression", "internal/llm", "internal/login", "internal/extend/mcp/bridge", "internal/notes", "internal/protect/sensitive", "internal/provider", "internal/sandbox", "internal/settings", "internal/extend/setup", "internal/websearch"}, "it looks at everything and changes nothing"},
	{"internal/app/mcphost", []string{"internal/atcmd", "internal/chat/window", "internal/command", "internal/history", "internal/llm/vendor", "internal/extend/mcp", "internal/base/suggest", "internal/sandbox", "internal/settings", "internal/extend/setup", "internal/base/table", "internal/tools"}, "it knows servers, and neither the loop nor the record"},
	{"internal/app/hookgates", []string{"internal/chat", "internal/cmdline", "internal/extend/projectcheck", "internal/command", "internal/gate", "internal/history", "internal/extend/hook", "internal/git/ignore", "internal/protect", "internal/rules", "internal/sandbox", "internal/settings", "internal/extend/setup", "internal/shell", "internal/snapshot", "internal/tools", "internal/workspace"}, "a gate knows the calls of a conversation, and neither its record nor its endpoint"},
	{"internal/app/extensions", []string{"internal/cmdline", "internal/review", "internal/base/outputschema", "internal/app/hookgates", "internal/app/mcphost", "internal/atcmd", "internal/chat", "internal/command", "internal/git/diff", "internal/history", "internal/base/suggest", "internal/protect", "internal/settings", "internal/extend/setup", "internal/text", "internal/tools", "prompts"}, "it knows what a message can call, and sends nothing"},
	{"internal/app/subagents", []string{"internal/atcmd", "internal/chat", "internal/gate", "internal/extend/setup/agents", "internal/text/lines", "internal/text/textdiff", "internal/tools"}, "it runs agents, and knows neither their records nor their models"},
	{"internal/app/agentrecords", []string{"internal/app/subagents", "internal/chat", "internal/git/ignore", "internal/history", "internal/session", "internal/sessionsearch", "internal/settings", "internal/tokens", "internal/tools", "internal/workspace"}, "it reads records, and runs no agents"},
	{"internal/app/sessionnotes", []string{"internal/chat", "internal/extend/setup", "internal/gate", "internal/git/gitcmd", "internal/history", "internal/notes", "internal/protect", "internal/session", "internal/settings", "internal/slash", "internal/text/textdiff", "internal/tools", "internal/websearch"}, "it knows notes, and neither the endpoint nor how they are recorded"},
	{"internal/app/webtool", []string{"internal/app/hookgates", "internal/chat", "internal/provider", "internal/settings", "internal/shell", "internal/tools", "internal/websearch"}, "it knows the services and the rules, and neither the record nor the loop"},
	{"internal/board", []string{"internal/attach", "internal/chat", "internal/streamjson", "internal/session"}, "it knows states of sessions, and runs none"},
	{"internal/attach", []string{"internal/text/lines"}, "it carries lines, and knows neither sessions nor what lines mean"},
	{"internal/app", []string{"internal/attach", "internal/lsp", "internal/reachlog", "internal/text/lines", "internal/atcmd", "internal/chat", "internal/extend/projectcheck", "internal/cmdline", "internal/command", "internal/compression", "internal/sessionsearch", "internal/gate", "internal/git/gitcmd", "internal/gitfiles", "internal/git/diff", "internal/history", "internal/extend/hook", "internal/git/ignore", "internal/llm", "internal/extend/mcp", "internal/base/suggest", "internal/notes", "internal/policy", "internal/protect", "internal/provider", "internal/rules", "internal/sandbox", "internal/session", "internal/settings", "internal/extend/setup", "internal/share", "internal/shell", "internal/slash", "internal/snapshot", "internal/base/table", "internal/base/tempdir", "internal/text/textdiff", "internal/todo", "internal/tokens", "internal/tools", "internal/trace", "internal/tui/style", "internal/workspace", "internal/git/worktree", "docs", "internal/manual", "prompts", "internal/websearch", "internal/login", "internal/fetch"}, "it puts a conversation together and knows no front end, but for the names of the themes"},
	{"internal/tui/link", nil, "what a text names is in the text, but for whether a file is there"},
	{"internal/tui/style", []string{"internal/tui/link", "internal/tui/style"}, "how text looks needs nothing but where it leads"},
	{"internal/tui/highlight", []string{"internal/base/lexer", "internal/tui/style"}, "code becomes styled lines"},
	{"internal/tui/markdown", []string{"internal/text/gfm", "internal/tui/style", "internal/tui/highlight"}, "markdown becomes styled lines"},
	{"internal/tui/patch", []string{"internal/text/textdiff", "internal/tui/style", "internal/tui/highlight"}, "a diff becomes styled lines"},
	{"internal/tui/edit", []string{"internal/atcmd", "internal/history", "internal/tui/style"}, "the prompt is a value that knows neither keys nor screen"},
	{"internal/tui/edit/vim", []string{"internal/tui/edit"}, "the keys of Vim are a state machine on an editor"},
	{"internal/tui/keymap", []string{"internal/base/suggest", "internal/tui/edit", "internal/tui/term"}, "which key does what is a table, and does nothing"},
	{"internal/tui/term", []string{"internal/tui/style"}, "the terminal does not know what it shows"},
	{"internal/tui/question", []string{"internal/chat", "internal/command", "internal/tools", "internal/tui/style", "internal/tui/patch", "internal/tui/edit", "internal/tui/term", "internal/tui/markdown"}, "consent knows what is asked and the keys, not the rest of the screen"},
	{"internal/tui/transcript", []string{"internal/tui/style"}, "what was said can be laid out again and does not know what it is about"},
	{"internal/tui/pager", []string{"internal/tui/style", "internal/tui/term", "internal/tui/transcript"}, "what is read does not matter to how it is read"},
	{"internal/tui/picker", []string{"internal/command", "internal/tui/style", "internal/tui/edit", "internal/tui/term"}, "a list to choose from runs nothing"},
	{"internal/tui/input", []string{"internal/atcmd", "internal/command", "internal/history", "internal/picture", "internal/tui/edit", "internal/tui/edit/vim", "internal/tui/picker", "internal/tui/style", "internal/tui/term"}, "the prompt knows what can be typed and sends nothing"},
	{"internal/testing/vt", nil, "a terminal for tests needs nothing"},
	{"internal/tui/mailbox", []string{"internal/chat"}, "it carries events and shows none"},
	{"internal/tui", []string{"internal/chat", "internal/gate", "internal/command", "internal/tools", "internal/history", "internal/atcmd", "internal/picture", "internal/base/testrun"}, "the screen shows events and commands and knows their types"},
	{"internal/frontend/acp", []string{"internal/app", "internal/atcmd", "internal/chat", "internal/command", "internal/gate", "internal/history", "internal/provider", "internal/session", "internal/settings", "internal/extend/setup/consent", "internal/text", "internal/todo", "internal/tools"}, "it runs conversations for an editor"},
	{"internal/streamjson", []string{"internal/command", "internal/gate", "internal/snapshot", "internal/atcmd", "internal/tools", "internal/chat", "internal/history", "internal/llm", "internal/text/lines"}, "it prints the events of a turn"},
	{"internal/base/version", nil, "it is initialized before whatever it would import"},
	{"internal/sessionsearch", []string{"internal/history", "internal/offline/logs", "internal/session", "internal/text/lines"}, "it reads records and says where words are, whoever asks"},
	{"internal/review", []string{"internal/text/lines", "internal/text/textdiff"}, "it compares quotes with a diff, and knows neither models nor git"},
	{"internal/policy", []string{"internal/gate", "internal/llm/vendor", "internal/provider", "internal/settings", "internal/extend/setup/permissions", "internal/websearch"}, "it compares names with lists, and neither asks nor runs"},
	{"internal/notes", []string{"internal/gitfiles/layout", "internal/extend/setup/trustedfile", "internal/workspace"}, "it keeps facts and compares files, and knows neither sessions nor tools"},
	{"internal/offline/logs", []string{"internal/history", "internal/base/lazyregexp", "internal/text/lines"}, "it reads what others wrote, and replays nothing"},
	{"internal/audit", []string{"internal/history", "internal/session"}, "it reads records, and knows nothing of what they are about"},
	{"internal/share", []string{"internal/history", "internal/base/rawjson", "internal/base/secret", "internal/text/gfm", "internal/text/textdiff", "internal/base/humanize"}, "a page for other people is made of entries alone"},
	{"internal/offline", []string{"internal/chat", "internal/command", "internal/compression", "internal/history", "internal/llm/vendor", "internal/provider/catalogue", "internal/session", "internal/settings", "internal/tools"}, "it drives the real pre-send window with what a file holds"},
	{"internal/slash", []string{"internal/command", "internal/base/table", "internal/chat", "internal/sessionsearch", "internal/gate", "internal/history", "internal/manual", "internal/notes", "internal/offline/logs", "internal/settings", "internal/session", "internal/snapshot", "internal/base/suggest", "internal/tools", "internal/websearch"}, "commands steer the loop and know no screen"},
	{"internal/command", []string{"internal/base/table", "internal/base/suggest"}, "a command is a declaration, whatever it does"},
	{"internal/chat/rewind", []string{"internal/chat/window", "internal/compression", "internal/history", "internal/session", "internal/snapshot", "internal/todo", "internal/tools"}, "it knows what was, and nothing of turns"},
	{"internal/chat/cachewarm", nil, "it knows prices, times and pauses, and sends nothing"},
	{"internal/chat/cachemiss", []string{"internal/history", "internal/llm", "prompts"}, "it compares requests, and sends none"},
	{"internal/chat/calibrate", []string{"internal/history"}, "it compares sizes, and knows neither caches nor prices"},
	{"internal/chat/provenance", []string{"internal/chat/cachemiss", "internal/chat/window", "internal/compression", "internal/history", "prompts"}, "it follows what left a context, and changes nothing"},
	{"internal/chat/window", []string{"internal/compression", "internal/history", "internal/llm", "internal/settings", "internal/todo", "internal/tokens", "prompts"}, "it knows what fits, and neither turns nor tools"},
	{"internal/chat", []string{"internal/reachlog", "internal/gate", "internal/extend/setup/hooks", "internal/llm", "internal/tools", "internal/compression", "internal/history", "internal/session", "internal/settings", "internal/snapshot", "internal/atcmd", "internal/todo", "internal/tokens"}, "the loop knows what it drives and not who watches"},
	{"internal/gate", []string{"internal/cmdline", "internal/protect", "internal/rules", "internal/settings", "internal/tools"}, "a gate knows the call, and neither the loop nor the screen"},
	{"internal/compression", []string{"internal/cmdline", "internal/history", "internal/llm/vendor", "internal/base/suggest", "internal/text/patch", "internal/todo"}, "the engine is pure"},
	{"internal/history", nil, "the content model is the bottom"},
	{"internal/tokens", nil, "counting text needs nothing"},
	{"internal/todo", nil, "a list of things to do needs nothing"},
	{"internal/gitfiles/layout", nil, "it reads where git keeps what belongs to a work tree, and runs nothing"},
	{"internal/gitfiles/index", nil, "it reads one file of a repository and runs nothing"},
	{"internal/git/gitcmd", []string{"internal/gitfiles/layout", "internal/sandbox"}, "git runs in a sandbox and knows nobody"},
	{"internal/git/ignore", []string{"internal/git/gitcmd", "internal/gitfiles"}, "listing files needs git at most"},
	{"internal/base/suggest", nil, "comparing words needs nothing"},
	{"internal/llm/vendor", nil, "a vendor is a value"},
	{"internal/llm/refusal", []string{"internal/llm", "internal/llm/vendor"}, "what words mean depends on no request"},
	{"internal/llm/openai", []string{"internal/history", "internal/llm"}, "a wire format turns requests into bytes and knows no settings"},
	{"internal/llm/anthropic", []string{"internal/history", "internal/llm"}, "a wire format turns requests into bytes and knows no settings"},
	{"internal/llm/demo", []string{"internal/llm", "internal/tokens"}, "a script plays a provider, and counts tokens as the program does"},
	{"internal/llm", []string{"internal/history", "internal/reachlog"}, "a provider turns history into replies"},
	{"internal/base/lexer", nil, "reading a grammar needs nothing"},
	{"internal/git/diff", []string{"internal/git/gitcmd", "internal/sandbox"}, "it runs git and nothing else"},
	{"internal/base/keyring", nil, "it keeps secrets and knows not for whom"},
	{"internal/login", []string{"internal/reachlog", "internal/base/keyring", "internal/llm"}, "it gets tokens and knows neither endpoints nor settings"},
	{"internal/provider", []string{"internal/reachlog", "internal/base/keyring", "internal/llm", "internal/settings", "internal/login"}, "it turns settings into a client"},
	{"internal/protect/sensitive", []string{"internal/gitfiles/index", "internal/protect"}, "it looks at folders and knows names, and what git tracks"},
	{"internal/protect", nil, "it goes by names and opens nothing"},
	{"internal/sandbox/launcher", nil, "it is initialised before the rest of the program, of which it needs nothing"},
	{"internal/sandbox/supervisor", []string{"internal/sandbox/launcher"}, "it starts helpers and looks after processes, and decides nothing"},
	{"internal/sandbox", []string{"internal/cmdline", "internal/gitfiles/layout", "internal/protect"}, "a sandbox knows neither tools nor settings"},
	{"internal/text/lines", nil, "splitting text needs nothing"},
	{"internal/text/textfile", []string{"internal/text/lines"}, "a text file is text, and knows no disk"},
	{"internal/text/textdiff", []string{"internal/text/lines"}, "comparing texts needs nothing else"},
	{"internal/text/collapse", nil, "repeated lines are found in a text alone"},
	{"internal/text/indent", nil, "shifting lines needs nothing"},
	{"internal/text/gfm", nil, "it parses Markdown, and lays out nothing"},
	{"internal/text/quote", []string{"internal/text/indent", "internal/text/lines", "internal/text/textdiff", "internal/text/textfile"}, "a quote is looked for in a text, and knows no disk"},
	{"internal/text/notebook", []string{"internal/text/lines"}, "a notebook becomes a text and comes back, and knows no disk"},
	{"internal/text/patch", []string{"internal/text/indent", "internal/text/lines", "internal/text/textdiff", "internal/text/textfile"}, "a patch is worked out on texts, and knows no disk"},
	{"internal/outline", []string{"internal/text/lines", "internal/base/lexer", "internal/base/suggest"}, "an outline is of a text, and knows no disk"},
	{"internal/testing", []string{"internal/history", "internal/llm", "internal/extend/mcp"}, "models, servers, terminals and pictures for tests know the contracts that they stand in for, and no program imports them"},
	{"internal/base/testrun", nil, "it reads what programs print"},
	{"internal/search", nil, "it searches the files it is handed"},
	{"internal/workspace", []string{"internal/git/ignore", "internal/base/suggest"}, "it confines whoever uses it"},
	{"internal/cmdline", nil, "reading a command line runs nothing"},
	{"internal/rules", []string{"internal/cmdline"}, "a rule is about commands and files, not about tools"},
	{"internal/shell", []string{"internal/cmdline", "internal/git/gitcmd", "internal/sandbox", "internal/text/lines"}, "it runs what it is handed and decides nothing"},
	{"internal/websearch", []string{"internal/fetch"}, "it asks services and knows neither tools nor the loop"},
	{"internal/reachlog", nil, "it watches requests, whoever makes them"},
	{"internal/fetch", []string{"internal/reachlog"}, "it fetches what it is handed"},
	{"internal/snapshot", []string{"internal/git/gitcmd", "internal/gitfiles", "internal/git/ignore", "internal/text/textdiff", "internal/text/textfile", "internal/workspace"}, "it keeps what files held and knows neither tools nor turns"},
	{"internal/lsp", []string{"internal/sandbox", "internal/shell", "internal/text/lines"}, "it asks servers about files, and shows nothing of them"},
	{"internal/tools", []string{"internal/lsp", "internal/cmdline", "internal/fetch", "internal/git/gitcmd", "internal/history", "internal/git/ignore", "internal/base/suggest", "internal/outline", "internal/protect", "internal/rules", "internal/sandbox", "internal/search", "internal/shell", "internal/snapshot", "internal/text", "internal/todo", "internal/workspace", "internal/websearch"}, "a tool knows neither the loop nor the screen"},
	{"internal/atcmd", []string{"internal/history", "internal/git/ignore", "internal/base/suggest", "internal/picture", "internal/text/notebook"}, "it writes inclusions in history's format"},
	{"internal/settings", []string{"internal/compression", "internal/base/suggest"}, "it takes the names of the strategies"},
	{"internal/session", []string{"internal/history"}, "it records history's mutations"},
	{"internal/extend/mcp/bridge", []string{"internal/extend/mcp", "internal/base/suggest", "internal/picture", "internal/extend/setup/servers", "internal/base/table", "internal/text", "internal/tools"}, "it brings what servers offer to a conversation, and knows neither the loop nor the screen"},
	{"internal/extend/mcp/catalogue", []string{"internal/extend/mcp", "internal/text/lines"}, "it keeps what servers said and connects to none"},
	{"internal/extend/mcp", []string{"internal/reachlog", "internal/sandbox", "internal/shell", "internal/text/lines", "internal/login"}, "it speaks to servers, and knows neither tools nor consent"},
	{"internal/base/table", nil, "lining texts up needs nothing"},
	{"internal/base/tempdir", nil, "a folder of one's own needs nothing"},
	{"internal/toolspec", []string{"internal/text/patch"}, "what a tool declares is plain data, and a call may name its files in a patch"},
	{"internal/base/lazyregexp", nil, "matching text needs nothing"},
	{"internal/base/secret", []string{"internal/base/lazyregexp"}, "what keys look like depends on nothing"},
	{"internal/picture", []string{"internal/sandbox"}, "fitting an image needs its bytes only, and the clipboard a program of the PATH"},
	{"internal/base/humanize", nil, "writing numbers and lines needs nothing"},
	{"internal/base/arguments", nil, "the arguments of a call are what the model wrote"},
	{"internal/base/fsutil", nil, "writing files needs nothing"},
	{"internal/git/worktree", []string{"internal/git/gitcmd", "internal/sandbox", "internal/base/humanize", "internal/base/lazyregexp"}, "a worktree is git's"},
	{"internal/trace", []string{"internal/chat", "internal/reachlog", "internal/base/lazyregexp"}, "a tracer listens"},
	{"internal/base/outputschema", nil, "the form of an answer depends on nothing"},
	{"internal/base/rawjson", nil, "JSON in texts and files needs nothing"},
	{"internal/base/safeout", nil, "writing to a terminal needs nothing"},
	{"scripts/foreign", nil, "it checks the types of the program from outside"},
	{"docs", nil, "pages are text"},
	{"internal/manual", nil, "it searches pages and names, whoever asks"},
	{"prompts", nil, "texts need nothing"},
	{"internal/extend/setup/trustedfile", []string{"internal/protect", "internal/text/lines"}, "it reads files of which it knows only who may have written them"},
	{"internal/extend/setup/imports", []string{"internal/base/suggest", "internal/extend/setup/hooks", "internal/extend/setup/jsonfile", "internal/extend/setup/permissions", "internal/extend/setup/servers", "internal/extend/setup/trustedfile", "internal/cmdline"}, "it plans from files and starts nothing"},
	{"internal/extend/setup/jsonfile", nil, "it changes files and knows nothing of what they say"},
	{"internal/extend/setup/servers", []string{"internal/base/suggest", "internal/extend/setup/manifest", "internal/extend/setup/jsonfile", "internal/extend/setup/trustedfile"}, "it reads who is configured and connects to nobody"},
	{"internal/extend/setup/consent", []string{"internal/cmdline", "internal/git/gitcmd", "internal/gitfiles", "internal/base/suggest", "internal/protect", "internal/rules", "internal/extend/setup/manifest", "internal/extend/setup/template", "internal/extend/setup/trustedfile"}, "it keeps answers, and permissions as rules write them, and knows nothing of what is asked about but its content and the files that command lines name"},
	{"internal/extend/setup/agents", []string{"internal/base/suggest", "internal/extend/setup/manifest", "internal/extend/setup/trustedfile"}, "it reads who could be asked and asks nobody"},
	{"internal/extend/setup/manifest", nil, "a list of strings knows nothing of where they come from"},
	{"internal/extend/projectcheck", []string{"internal/cmdline"}, "it compares what checks print, and knows neither the loop nor consent"},
	{"internal/extend/hook", []string{"internal/sandbox", "internal/extend/setup/hooks", "internal/extend/setup/permissions", "internal/shell"}, "it runs hooks on what it is handed, and knows neither tools nor the loop"},
	{"internal/extend/setup/plugins", []string{"internal/extend/setup/trustedfile", "internal/base/tempdir", "internal/text/textdiff"}, "it fetches, keeps and reads folders, and uses nothing of them"},
	{"internal/extend/setup/hooks", []string{"internal/extend/setup/manifest", "internal/extend/setup/permissions", "internal/extend/setup/trustedfile"}, "it reads files and runs nothing"},
	{"internal/extend/setup/permissions", []string{"internal/cmdline", "internal/extend/setup/trustedfile"}, "it reads rules and asks nobody"},
	{"internal/structure", nil, "it tests the module from outside"},
	{"internal/extend/setup/template", nil, "it fills in texts and reads nothing"},
	{"internal/extend/setup/instructions", []string{"internal/extend/setup/trustedfile"}, "it reads files and neither asks nor runs"},
	{"internal/extend/setup", []string{"internal/extend/setup/manifest", "internal/extend/setup/template", "internal/extend/setup/trustedfile"}, "it knows names and texts and runs nothing"},
}

// nouns are the base packages that every package may import. They are needed everywhere and depend
// on no other part of the program.
var nouns = []string{"internal/base/humanize", "internal/base/fsutil", "internal/base/rawjson", "internal/base/lazyregexp", "internal/base/secret", "internal/toolspec", "internal/base/arguments"}

// inner maps a package to the package that it is a part of. No other package may import it.
var inner = map[string]string{
	"internal/compression/cacheaware": "internal/compression", // used through compression.Engine
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
			return filepath.SkipDir // a separate module
		}
		// Tests may import more: a scripted server, an oracle.
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

// Every file that docs/dev/architecture.md names exists.
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
