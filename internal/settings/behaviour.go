package settings

// The interface.
var (
	ApprovalMode = Declare("approval-mode", Enum(), "ask",
		"which tool calls run without asking you")
	MaxTurns = Declare("max-turns", Int(AtLeast(1, "of at least 1, or -1 for no limit").Or(-1)), -1,
		"most model requests for one prompt; -1 is no limit")
	Theme = Declare("theme", Enum(), "auto",
		"colours of the screen").ofPerson()
	Keys = Declare("ui.keys", Enum("plain", "vim"), "plain",
		"keys of the prompt: plain, or those of Vim").ofPerson()
	Columns = Declare("ui.columns", Int(AtLeast(1, "above 0")), 100,
		"the widest that prose gets on the screen; code, tables and what commands print have the window").ofPerson()
	NoticeDensity = Declare("notice.density", Enum("on", "off"), "on",
		"whether the screen says what pruning took out of the context, as it happens and after the turn").ofPerson()
	NoticeCache = Declare("notice.cache", Enum("on", "off"), "on",
		"whether you are told, once a cause, why a request read less from the provider's cache than it could have; /stats cache lists them all").ofPerson()
	Estimate = Declare("ui.estimate", Bool(), false,
		"while a message is typed, what its first request and the turn will cost, if prices are known").ofPerson()
	Links = Declare("ui.links", Enum("auto", "off", "file", "vscode", "vscode-insiders", "vscodium", "cursor", "windsurf", "zed", "idea"), "auto",
		"links on the screen: where the terminal is known to take them (auto), off, or files by the scheme of an editor").ofPerson()
	Notify = Declare("notify", Enum("auto", "osc", "bell", "off"), "auto",
		"how a question and the end of a turn of 10 seconds call you while the window is not in front: bell and, where the terminal is known to take it, a notification (auto), only that (osc), only the bell, or not").ofPerson()
	NotifyCommand = Optional("notify-command", Line(), "none",
		"command that calls you then as well, unless notify is off; it gets what happened as one argument of JSON").ofPerson()
	StatusLineCommand = Optional("status-line.command", Line(), "none",
		"command whose first line of output is shown above the status line; it reads JSON as Claude Code's does and has a second").ofPerson()
	OutputStyle = Optional("output-style", Line(), "none",
		"how the model answers: the file NAME.md in output-styles of the configuration folder or of ~/.claude; it counts from the start of a session, /clear or a compression on").ofPerson()
	CommitTrailer = Declare("commit.trailer", Enum("none", "assisted-by", "co-authored-by"), "none",
		"the line that commits of the model end with").ofPerson()
)

// Instructions and skills of people and repositories.
var (
	InstructionFiles = Optional("instructions.files", List("names of files with commas between them"), "AGENTS.override.md, AGENTS.md, CLAUDE.md, .claude/CLAUDE.md, GEMINI.md",
		"names of a folder's file with instructions for the model; the first that exists counts")
	SkillPaths = Optional("skills.paths", List("folders with commas between them"), "none",
		"more folders of skills, besides those of the workspace and the home folder")
	SkillBudget = Optional("skills.budget", Int(AtLeast(1, "above 0")), "2% of the window, 1500 to 6000",
		"most tokens of the list of skills that the model is shown; a longer one has its descriptions cut, and no name")
)

// Values of LanguageServers.
const (
	ServersAuto = "auto"
	ServersOn   = "on"
	ServersOff  = "off"
)

// Bounds of tools.
var (
	ShellTimeoutSeconds = Declare("shell-timeout-seconds", Int(AtLeast(1, "above 0")), 300,
		"seconds a shell command may take before it is stopped")
	ToolOutputMaxTokens = Declare("tool-output-max-tokens", Int(AtLeast(1, "above 0")), 16000,
		"most tokens of one tool result; the rest goes to a file")
	// FoundMaxTokens limits the results of commands and searches. On 30 recorded sessions, a limit of
	// 500 tokens instead of 2 000 lowered the cost at 0.05 from 0.942 to 0.871, with no more edits lost. Results that show
	// files are not bounded by it, because edits quote them.
	FoundMaxTokens = Declare("found-max-tokens", Int(AtLeast(0, "of at least 0")), 500,
		"most tokens of what a command prints or a search finds; the rest is named and can be had; 0 is no bound of its own")
	// ReadOutlineTokens is off by default: replay cannot show whether a model that has seen an outline
	// understands as much.
	ReadOutlineTokens = Declare("read-outline-tokens", Int(AtLeast(0, "of at least 0")), 0,
		"tokens of a file from which on the first read of it returns its outline, such as 6000; 0 is never")
	FileReadMaxLines = Declare("file-read-max-lines", Int(AtLeast(1, "above 0")), 2000,
		"most lines one read of a file returns")
	CheckCommand = Optional("check-command", Line(), "off",
		"command that checks the project before the first edit of a turn and after the last; the model reads the new lines. {dir} is the folder of an edited file; auto finds it (go vet, tsc, ruff, cargo check)")
	MCPTools = Declare("mcp.tools", Enum("auto", "direct", "search"), "auto",
		"tools of MCP servers in every request: those that fit into 5% of the window, all, or none but a search for them")
	MCPResultMaxTokens = Declare("mcp.result-max-tokens", Int(AtLeast(1, "above 0")), 8000,
		"most tokens of one result of an MCP server's tool, if tool-output-max-tokens is not less; the rest goes to a file")
	RecallSessions = Declare("recall.sessions", Enum("repository", "off"), "repository",
		"whether the model may search the earlier sessions of the repository with recall; it counts from the start of a session on")
	Notes = Declare("notes", Enum("on", "read", "off"), "on",
		"facts kept for later sessions: on; read, where the model proposes none; or off. It counts from the start of a session, /clear or a compression on")
	NotesBudget = Declare("notes.budget", Int(AtLeast(1, "above 0")), 1000,
		"most tokens of the notes that the model is sent")
	LanguageServers = Declare("language-servers", Enum(ServersAuto, ServersOn, ServersOff), ServersAuto,
		"offer symbol, which asks gopls and other language servers: auto in a workspace of at least 100 source files, on in any, or off. It counts from the start of a session on")
	WebFetchPrivate = Declare("web-fetch.private", Bool(), false,
		"let web_fetch reach addresses of this machine and its network")
)

// Search of the web.
var (
	WebSearch = Declare("web-search", Enum("off"), "off",
		"who searches the web for the model: nobody, a service with your key (agent login search:NAME), a SearXNG, a command of yours; auto takes the provider's own search where it is known, else the first service with a key. Counts from the start of a session or /clear on").ofPerson()
	WebSearchURL = Optional("web-search.url", URL(), "none",
		"address of the SearXNG, which may be of this machine or its network; for google that of a search engine of yours, https://cse.google.com/cse?cx=ID").ofPerson()
	WebSearchCommand = Optional("web-search.command", Line(), "none",
		"command that searches: it reads {query, count, domains, recent} and prints {results: [{url, title, snippet, date}]}").ofPerson()
	WebSearchPrice = Optional("web-search.price", Number(AtLeast(0, "of at least 0")), "not known",
		"price of 1000 searches in USD, for the costs and max-cost").ofPerson()
	WebSearchMaxTokens = Declare("web-search.max-tokens", Int(AtLeast(1, "above 0")), 1500,
		"most tokens of one answer of web_search").ofPerson()
	WebSearchMaxPerTurn = Declare("web-search.max-per-turn", Int(AtLeast(1, "above 0")), 20,
		"most searches of one turn")
)
