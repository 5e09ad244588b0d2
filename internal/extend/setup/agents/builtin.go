package agents

var builtIn = []Agent{
	{
		Name: ExploreAgent, Origin: OriginBuiltIn, Looks: true,
		Description: "searches and reads, changes nothing; for questions over many files",
		Prompt: "You answer one question about the workspace. Search, read what matters, and stop as soon as you know. " +
			"Quote each finding with its file and line. Say what you looked for and did not find, and where you looked.",
		Tools: []string{"read_file", "read_line_range", "read_many_files", "ast_read_file", "list_directory", "glob", "search_file_content", "run_shell_command", "recall"},
	},
	{
		Name: GeneralAgent, Origin: OriginBuiltIn,
		Description: "works on a separate task with all tools",
		Prompt:      "You do one task, completely and nothing else. Your report says what you changed, how you checked it, and what is left.",
	},
}
