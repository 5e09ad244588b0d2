package settings

// The settings of the interface.
var (
	ApprovalMode = Declare("approval-mode", Enum(), "ask",
		"which tool calls run without asking you")
	MaxTurns = Declare("max-turns", Int(AtLeast(1, "of at least 1, or -1 for no limit").Or(-1)), -1,
		"maximum model requests per prompt; -1: no limit")
	Theme = Declare("theme", Enum(), "auto",
		"color theme of the screen").ofPerson()
	Keys = Declare("ui.keys", Enum("plain", "vim"), "plain",
		"keys of the prompt: plain, or vim").ofPerson()
	Columns = Declare("ui.columns", Int(AtLeast(1, "above 0")), 100,
		"maximum columns of prose on the screen; code, tables and command output use the full width").ofPerson()
	NoticeDensity = Declare("notice.density", Enum("on", "off"), "on",
		"show pruned content, as it happens and at the end of the turn").ofPerson()
	NoticeCache = Declare("notice.cache", Enum("on", "off"), "on",
		"report a cache miss once per cause; /stats cache lists all").ofPerson()
	Estimate = Declare("ui.estimate", Bool(), false,
		"show the estimated cost while you type, if prices are known").ofPerson()
	Links = Declare("ui.links", Enum("auto", "off", "file", "vscode", "vscode-insiders", "vscodium", "cursor", "windsurf", "zed", "idea"), "auto",
		"clickable links: auto (if the terminal supports them), off, or the program that opens file links").ofPerson()
	Notify = Declare("notify", Enum("auto", "osc", "bell", "off"), "auto",
		"notify you while the terminal is in the background: auto (bell and notification), osc (notification), bell, or off").ofPerson()
	NotifyCommand = Optional("notify-command", Line(), "none",
		"command to run for each notification, unless notify is off; its argument is a JSON object").ofPerson()
	StatusLineCommand = Optional("status-line.command", Line(), "none",
		"command whose first output line appears above the status line; gets Claude Code's JSON on stdin; runs at most 1s").ofPerson()
	OutputStyle = Optional("output-style", Line(), "none",
		"how the model writes: name of a file output-styles/NAME.md in the configuration folder or ~/.claude; applies after /clear").ofPerson()
	CommitTrailer = Declare("commit.trailer", Enum("none", "assisted-by", "co-authored-by"), "none",
		"last line of commit messages by the model").ofPerson()
)

// The settings of instructions and skills.
var (
	InstructionFiles = Optional("instructions.files", List("comma-separated file names"), "AGENTS.override.md, AGENTS.md, CLAUDE.md, .claude/CLAUDE.md, GEMINI.md",
		"names of instruction files for the model; in each folder, the first that exists is used")
	SkillPaths = Optional("skills.paths", List("comma-separated folders"), "none",
		"additional folders of skills")
	SkillBudget = Optional("skills.budget", Tokens(AtLeast(1, "above 0")), "2% of the context window, from 1500 to 6000",
		"maximum tokens of the list of skills for the model; a longer list has shorter descriptions")
)

// The values of LanguageServers.
const (
	ServersAuto = "auto"
	ServersOn   = "on"
	ServersOff  = "off"
)

// The settings of tools.
var (
	ShellTimeoutSeconds = Declare("shell-timeout-seconds", Int(AtLeast(1, "above 0")), 300,
		"timeout of a shell command, in seconds")
	ToolOutputMaxTokens = Declare("tool-output-max-tokens", Tokens(AtLeast(1, "above 0")), 16000,
		"maximum tokens of one tool result; the rest goes to a file")
	// FoundMaxTokens limits the results of commands and searches. On 30 recorded sessions, a limit
	// of 500 tokens instead of 2,000 lowered the cost at 0.05 from 0.942 to 0.871, and no more
	// edits were lost. The limit does not apply to results that show files, because edits quote them.
	FoundMaxTokens = Declare("found-max-tokens", Tokens(AtLeast(0, "of at least 0")), 500,
		"maximum tokens of command output or search results; the model can read the rest; 0: no separate limit")
	// ReadOutlineTokens is unset by default. Only live runs show whether a model that has read an
	// outline understands as much.
	ReadOutlineTokens = Optional("read-outline-tokens", Tokens(AtLeast(0, "of at least 0")), "6000 for Claude, 0 for other models",
		"size of a file in tokens from which its first read returns only an outline; 0: never")
	FileReadMaxLines = Declare("file-read-max-lines", Int(AtLeast(1, "above 0")), 2000,
		"maximum lines per read of a file")
	CheckCommand = Optional("check-command", Line(), "off",
		"command run before and after edits, such as go vet {dir}; auto: by language; language-server: errors in edited files only")
	MCPTools = Declare("mcp.tools", Enum("auto", "direct", "search"), "auto",
		"MCP tools in requests: direct (all), search (through a search tool), auto (direct up to 5% of the context window)")
	MCPResultMaxTokens = Declare("mcp.result-max-tokens", Tokens(AtLeast(1, "above 0")), 8000,
		"maximum tokens of one MCP tool result, up to tool-output-max-tokens; the rest goes to a file")
	RecallSessions = Declare("recall.sessions", Enum("repository", "off"), "repository",
		"earlier sessions that the tool recall can search: repository (of this repository), or off; applies from the next session")
	Notes = Declare("notes", Enum("on", "read", "off"), "on",
		"notes for later sessions: on, read (the model proposes none), or off; applies after /clear")
	NotesBudget = Declare("notes.budget", Tokens(AtLeast(1, "above 0")), 1000,
		"maximum tokens of notes sent to the model")
	LanguageServers = Declare("language-servers", Enum(ServersAuto, ServersOn, ServersOff), ServersAuto,
		"offer the tool symbol, which uses language servers: auto (from 30 source files), on, or off")
	WebFetchPrivate = Declare("web-fetch.private", Bool(), false,
		"let web_fetch read addresses of this machine and the local network")
)

// The settings of web search.
var (
	WebSearch = Declare("web-search", Enum("off"), "off",
		"search service; auto: the provider's search or the first service with an API key (to store one: agent login search:NAME)").ofPerson()
	WebSearchURL = Optional("web-search.url", URL(), "none",
		"address of the SearXNG server, which may be local; for google: https://cse.google.com/cse?cx=ID").ofPerson()
	WebSearchCommand = Optional("web-search.command", Line(), "none",
		"search command: reads JSON {query, count, domains, recent}, prints {results: [{url, title, snippet, date}]}").ofPerson()
	WebSearchPrice = Optional("web-search.price", Number(AtLeast(0, "of at least 0")), "not known",
		"price of 1000 searches in USD, counted in costs and max-cost").ofPerson()
	WebSearchMaxTokens = Declare("web-search.max-tokens", Tokens(AtLeast(1, "above 0")), 1500,
		"maximum tokens of one result of web_search").ofPerson()
	WebSearchMaxPerTurn = Declare("web-search.max-per-turn", Int(AtLeast(1, "above 0")), 20,
		"maximum searches per turn")
)
