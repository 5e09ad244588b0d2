// Package app creates conversations.
//
// A program has one Process, which owns everything that its conversations share: the environment,
// the folders, the log file, and the steps to take when the program must end at once. New creates
// a Conversation from a workspace, settings and a listener for events. Each Conversation owns its
// workspace, record, tools and turn loop, so that several can run at the same time.
//
// New has five stages. Each uses the values of earlier stages, and returns a finished value:
//
//	place              process, options, folders, settings, workspace
//	record             the session log, and the session that is resumed
//	endpoints          the connection to the model
//	conversationParts  the parts around the turn loop: rules, hooks, servers, notes, texts
//	loop               agents, tools and the turn loop
//
// Interfaces (the screen, the terminal without a screen, editors) differ only in how they handle
// events and answer questions. An interface calls Conversation.Commands for the slash commands, and
// closes the Conversation at the end.
//
// Subpackages hold parts of a conversation. Package extensions holds the instructions, skills and
// commands, hookgates the rules and hooks, mcphost the MCP servers, sessionnotes the notes, subagents the
// subagents, agentrecords their records, and webtool web search.
package app
