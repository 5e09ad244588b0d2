package app

// ShareFilesOrLists reports whether two conversations have the same snapshots, the same views of
// files or the same todo list.
func ShareFilesOrLists(a, b *Conversation) bool {
	return a.parts.host.Env.Snapshots == b.parts.host.Env.Snapshots || a.parts.host.Env.Seen == b.parts.host.Env.Seen || a.parts.host.Env.Todos == b.parts.host.Env.Todos
}
