package settings

// ApprovalMode is the name of the approval mode.
var ApprovalMode = Declare(Enum(), "ask", Spec{
	Key:      "approval-mode",
	Help:     "which tool calls run without asking you",
	Category: CategoryBehaviour,
})

// CommitTrailer is the line by which commits say that a model helped: "none" for no line.
var CommitTrailer = Declare(Enum("none", "assisted-by", "co-authored-by"), "none", Spec{
	Key:      "commit.trailer",
	Help:     "the line that commits of the model end with",
	Category: CategoryBehaviour,
})

// MaxTurns is the most model requests for one prompt, -1 for no limit.
var MaxTurns = Declare(Int(AtLeast(1, "of at least 1, or -1 for no limit").Or(-1)), -1, Spec{
	Key:      "max-turns",
	Help:     "most model requests for one prompt; -1 is no limit",
	Category: CategoryBehaviour,
})

// Theme is the name of the colour theme.
var Theme = Declare(Enum(), "auto", Spec{
	Key:      "theme",
	Help:     "colours of the screen",
	Category: CategoryBehaviour,
})

// Keys are the keys of the prompt.
var Keys = Declare(Enum("plain", "vim"), "plain", Spec{
	Key:      "ui.keys",
	Help:     "keys of the prompt: plain, or those of Vim",
	Category: CategoryBehaviour,
})

// Columns is the widest that prose gets on the screen.
var Columns = Declare(Int(AtLeast(1, "above 0")), 100, Spec{
	Key:      "ui.columns",
	Help:     "the widest that prose gets on the screen; code, tables and what commands print have the window",
	Category: CategoryBehaviour,
})

// Links says what addresses and files on the screen link to.
var Links = Declare(Enum("auto", "off", "file", "vscode", "vscode-insiders", "vscodium", "cursor", "windsurf", "zed", "idea"), "auto", Spec{
	Key:      "ui.links",
	Help:     "links on the screen: where the terminal is known to take them (auto), off, or files by the scheme of an editor",
	Category: CategoryBehaviour,
})

// Notify says how a person is called back to the terminal.
var Notify = Declare(Enum("auto", "osc", "bell", "off"), "auto", Spec{
	Key:      "notify",
	Help:     "how a question and the end of a turn of 10 seconds call you while the window is not in front: bell and, where the terminal is known to take it, a notification (auto), only that (osc), only the bell, or not",
	Category: CategoryBehaviour,
})

// NotifyCommand is a command line that is run besides.
var NotifyCommand = Optional(Line(), Spec{
	Key: "notify-command", Unset: "none",
	Help:     "command that calls you then as well, unless notify is off; it gets what happened as one argument of JSON",
	Category: CategoryBehaviour,
})

// StatusLineCommand is a command line whose output is shown.
var StatusLineCommand = Optional(Line(), Spec{
	Key: "status-line.command", Unset: "none",
	Help:     "command whose first line of output is shown above the status line; it reads JSON as Claude Code's does and has a second",
	Category: CategoryBehaviour,
})

// OutputStyle names a file of instructions on how to answer.
var OutputStyle = Optional(Line(), Spec{
	Key: "output-style", Unset: "none",
	Help:     "how the model answers: the file NAME.md in output-styles of the configuration folder or of ~/.claude; it counts from the start of a session, /clear or a compression on",
	Category: CategoryBehaviour,
})

// ShellTimeoutSeconds is how long a command may run.
var ShellTimeoutSeconds = Declare(Int(AtLeast(1, "above 0")), 300, Spec{
	Key:      "shell-timeout-seconds",
	Help:     "seconds a shell command may take before it is stopped",
	Category: CategoryTools,
})

// ToolOutputMaxTokens is the bound of one tool result.
var ToolOutputMaxTokens = Declare(Int(AtLeast(1, "above 0")), 16000, Spec{
	Key:      "tool-output-max-tokens",
	Help:     "most tokens of one tool result; the rest goes to a file",
	Category: CategoryTools,
})

// FoundMaxTokens is the bound of what commands and searches answer. On recorded sessions
// 2 000 tokens made the input 0.014 cheaper than no bound did and lost no edit; what
// shows files is left alone, since edits quote it.
var FoundMaxTokens = Declare(Int(AtLeast(0, "of at least 0")), 2000, Spec{
	Key:      "found-max-tokens",
	Help:     "most tokens of what a command prints or a search finds; the rest is named and can be had; 0 is no bound of its own",
	Category: CategoryTools,
})

// FileReadMaxLines is the most lines of one read.
var FileReadMaxLines = Declare(Int(AtLeast(1, "above 0")), 2000, Spec{
	Key:      "file-read-max-lines",
	Help:     "most lines one read of a file returns",
	Category: CategoryTools,
})

// CheckCommand is the project's check that runs around the edits of a turn.
var CheckCommand = Optional(Line(), Spec{
	Key: "check-command", Unset: "off",
	Help:     "command that checks the project before the first edit of a turn and after the last; the model reads the new lines. {dir} is the folder of an edited file; auto finds it (go vet, tsc, ruff, cargo check)",
	Category: CategoryTools,
})

// InstructionFiles are the names of a folder's file with instructions for the model, of
// which the first that exists counts.
var InstructionFiles = Optional(List("names of files with commas between them"), Spec{
	Key: "instructions.files", Unset: "AGENTS.override.md, AGENTS.md, CLAUDE.md, .claude/CLAUDE.md, GEMINI.md",
	Help:     "names of a folder's file with instructions for the model; the first that exists counts",
	Category: CategoryBehaviour,
})

// SkillPaths are more folders of skills.
var SkillPaths = Optional(List("folders with commas between them"), Spec{
	Key: "skills.paths", Unset: "none",
	Help:     "more folders of skills, besides those of the workspace and the home folder",
	Category: CategoryBehaviour,
})

// SkillBudget is the bound of the list of skills that the model is shown.
var SkillBudget = Optional(Int(AtLeast(1, "above 0")), Spec{
	Key: "skills.budget", Unset: "2% of the window, 1500 to 6000",
	Help:     "most tokens of the list of skills that the model is shown; a longer one has its descriptions cut, and no name",
	Category: CategoryBehaviour,
})

// MCPTools says whose definitions of servers' tools are in every request.
var MCPTools = Declare(Enum("auto", "direct", "search"), "auto", Spec{
	Key:      "mcp.tools",
	Help:     "tools of MCP servers in every request: those that fit into 5% of the window, all, or none but a search for them",
	Category: CategoryTools,
})

// MCPResultMaxTokens is the bound of one result of a server's tool.
var MCPResultMaxTokens = Declare(Int(AtLeast(1, "above 0")), 8000, Spec{
	Key:      "mcp.result-max-tokens",
	Help:     "most tokens of one result of an MCP server's tool, if tool-output-max-tokens is not less; the rest goes to a file",
	Category: CategoryTools,
})

// WebFetchPrivate lets web_fetch reach addresses of this machine and its network.
var WebFetchPrivate = Declare(Bool(), false, Spec{
	Key:      "web-fetch.private",
	Help:     "let web_fetch reach addresses of this machine and its network",
	Category: CategoryTools,
})
