package main

// commandGroups lists the commands of agent --help in groups.
var commandGroups = []struct{ title, names string }{
	{"Start", "demo login logout models doctor docs help"},
	{"Sessions", "sessions board attach notes worktree"},
	{"Configure", "settings profile init"},
	{"Extend", "mcp plugin import"},
	{"Trust and safety", "trust sandbox policy"},
	{"Scripts", "review acp schema completion"},
	{"Context engine", "savings context"},
}

// flagGroups lists the flags of sessions in groups. Other flags follow without a group.
var flagGroups = []struct{ title, names string }{
	{"Model", "model provider base-url profile set max-cost max-turns"},
	{"Approval", "approval-mode allow allow-outside trust-project"},
	{"Session", "continue resume fork session-id no-session workspace worktree"},
	{"Scripts", "prompt bg image timeout output-format output-file output-schema input-format"},
}

// commandExamples has two examples for each command, by its command line.
var commandExamples = map[string]string{
	"agent":                "agent\nagent -m gpt-5 \"fix the failing test\"\nagent -c\nagent -p \"explain main.go\" > answer.md",
	"agent acp":            "agent acp\nagent acp -m MODEL --approval-mode auto-edit",
	"agent attach":         "agent attach\nagent attach lexer",
	"agent board":          "agent board\nagent board --json",
	"agent context":        "agent context replay session.jsonl\nagent context show session.jsonl",
	"agent demo":           "agent demo\nagent demo -p --output-format json",
	"agent docs":           "agent docs\nagent docs undo\nagent docs -s limit the cost",
	"agent doctor":         "agent doctor\nagent doctor --provider ollama",
	"agent import":         "agent import --dry-run\nagent import claude codex --only servers,hooks",
	"agent init":           "agent init\nagent init -m MODEL",
	"agent login":          "agent login openai\nagent login openrouter --oauth\nagent login",
	"agent logout":         "agent logout openai\nagent logout openrouter",
	"agent mcp":            "agent mcp list\nagent mcp add docs https://example.com/mcp",
	"agent mcp add":        "agent mcp add docs https://example.com/mcp\nagent mcp add github -e TOKEN='${GITHUB_TOKEN}' -- npx -y some-github-server",
	"agent mcp test":       "agent mcp test github\nagent mcp test github get_issue '{\"number\": 12}'",
	"agent models":         "agent models\nagent models --all",
	"agent notes":          "agent notes\nagent notes check --json",
	"agent notes add":      "agent notes add \"Tests of internal/db need TEST_DSN.\"\nagent notes add \"user: prefer table tests\"",
	"agent plugin":         "agent plugin list\nagent plugin add ./tools",
	"agent policy":         "agent policy\nagent policy test 'run_shell_command(git push)'",
	"agent profile":        "agent profile save work -m MODEL --provider deepseek\nagent profile default work",
	"agent review":         "agent review main\nagent review 12 --fetch --sarif > review.sarif",
	"agent sandbox":        "agent sandbox -- ls ~/.ssh\nagent sandbox -- go test ./...",
	"agent savings":        "agent savings\nagent savings --json",
	"agent schema":         "agent schema events\nagent schema result",
	"agent sessions":       "agent sessions list\nagent sessions list lexer",
	"agent sessions audit": "agent sessions audit NAME\nagent sessions audit NAME --json",
	"agent sessions share": "agent sessions share NAME\nagent sessions share lexer --out page.html",
	"agent settings":       "agent settings\nagent settings max-cost\nagent settings --json",
	"agent trust":          "agent trust\nagent trust yes 'hook SessionStart'",
	"agent worktree":       "agent --worktree parser\nagent worktree remove parser",
}
