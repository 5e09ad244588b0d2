package app

// ShareFilesOrLists reports whether two conversations have the same snapshots, the same views of
// files or the same todo list.
func ShareFilesOrLists(a, b *Conversation) bool {
	return a.env.Snapshots == b.env.Snapshots || a.env.Seen == b.env.Seen || a.env.Todos == b.env.Todos
}
