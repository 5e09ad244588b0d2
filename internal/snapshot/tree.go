package snapshot

import (
	"slices"
	"time"
)

// Change is the change of one file.
type Change struct {
	// Path is relative to the workspace, with forward slashes.
	Path string `json:"path"`
	// Before and After describe the file before and after the change.
	Before FileState `json:"before"`
	After  FileState `json:"after"`
	// Made lists the folders that were created for the file.
	Made []string `json:"made,omitempty"`
	// Gone lists the folders that were removed with the file.
	Gone []string `json:"gone,omitempty"`
}

// node is an event that changed files: an edit by a tool, or a command.
type node struct {
	// ID is the number of the node, counted from 1.
	ID int `json:"n"`
	// Up is the ID of the parent node, 0 for the root.
	Up int `json:"up"`
	// Turn is the number of the turn.
	Turn int `json:"turn"`
	// Root is the workspace in which the change was made.
	Root string `json:"root"`
	// Title is the first line of the message that started the turn.
	Title   string    `json:"title,omitempty"`
	At      time.Time `json:"at"`
	Changes []Change  `json:"changes"`
	// Unlisted is set for a command that may have created further files, because the workspace
	// could not be listed.
	Unlisted bool `json:"unlisted,omitempty"`
	// Unknown is the reason why the changes of a command are not known, or "" if they are.
	Unknown string `json:"unknown,omitempty"`
	// Of is the slot of the command whose end this node records, 0 for a node that records no end.
	Of int `json:"of,omitempty"`
}

// unknown returns a problem for each part of a command's changes that is not known.
func (n *node) unknown() (problems []Problem) {
	if n.Unlisted {
		problems = append(problems, Problem{"files that commands may have created", "unknown, because the workspace can't be listed"})
	}
	if n.Unknown != "" {
		problems = append(problems, Problem{"changes by a command", "agent ended during the command, and " + n.Unknown})
	}
	return problems
}

// tree contains all changes of the session and the present node of the workspace.
type tree struct {
	nodes map[int]*node
	last  int
	head  int
	// redo lists the target nodes of redos. The node of the latest undo is last.
	redo []int
	// half is the undo or redo during which the program was killed.
	half halfWay
	// began lists the commands that have not ended, in the order of their start. They are running,
	// or an earlier run of the program was killed during them.
	began []*began
}

func newTree() tree { return tree{nodes: map[int]*node{}, half: nowhere} }

func (t *tree) add(n *node) {
	t.nodes[n.ID] = n
	t.last = max(t.last, n.ID)
	t.head, t.redo, t.half = n.ID, nil, nowhere
	t.end(n.Of)
}

// end records that the command of a slot has ended.
func (t *tree) end(slot int) {
	t.began = slices.DeleteFunc(t.began, func(b *began) bool { return b.Slot == slot })
}

// freeSlot returns the lowest slot that no command uses.
func (t *tree) freeSlot() int {
	slot := 1
	for slices.ContainsFunc(t.began, func(b *began) bool { return b.Slot == slot }) {
		slot++
	}
	return slot
}

// targets returns the states at the head of all files that were changed since another node, by
// path.
func (t *tree) targets(from int) map[string]FileState {
	states := map[string]FileState{}
	if from == t.head {
		return states
	}
	way, _, _ := t.way(from, t.head)
	for _, p := range way {
		states[p.path] = p.target
	}
	return states
}

// drop removes a node whose change failed.
func (t *tree) drop(id int) {
	n, ok := t.nodes[id]
	if !ok {
		return
	}
	if t.head == id {
		t.head = n.Up
	}
	for _, other := range t.nodes {
		if other.Up == id {
			other.Up = n.Up
		}
	}
	for _, b := range t.began {
		if b.head == id {
			b.head = n.Up
		}
	}
	delete(t.nodes, id)
}

// up returns the nodes from id to the root, starting with id.
func (t *tree) up(id int) []*node {
	var nodes []*node
	for n := t.nodes[id]; n != nil; n = t.nodes[n.Up] {
		nodes = append(nodes, n)
		if n.Up >= n.ID { // a damaged journal must not cause an endless loop
			break
		}
	}
	return nodes
}

// undoneNodes returns the nodes whose changes are undone between two nodes, the latest first.
func (t *tree) undoneNodes(from, to int) []*node {
	stays := map[int]bool{}
	for _, n := range t.up(to) {
		stays[n.ID] = true
	}
	return slices.DeleteFunc(t.up(from), func(n *node) bool { return stays[n.ID] })
}

// latestTurn returns the first node of the latest turn that changed files, and the ID of the node
// before it. first is nil if there is no such turn.
func (t *tree) latestTurn() (before int, first *node) {
	for _, n := range t.up(t.head) {
		if first != nil && n.Turn != first.Turn {
			break
		}
		first = n
	}
	if first == nil {
		return 0, nil
	}
	return first.Up, first
}

// passage is the change of one path between two nodes.
type passage struct {
	path             string
	expected, target FileState
	// halfway is another possible state of the file, because the program was killed while it
	// changed the file. It is nil if there is no such state.
	halfway *FileState
	// folders lists folders to remove if they are empty.
	folders []string
	// joints contains the states between consecutive changes of the file. If the end of one change
	// and the start of the next differ, another program has changed the file in between.
	joints []joint
}

// joint contains the state at the end of one change and the state at the start of the next.
type joint struct{ end, begin FileState }

// way returns the passages between two nodes, unordered, and the workspaces in which the changes
// were made. unknown contains the changes that the passages undo and that were not recorded
// completely.
func (t *tree) way(from, to int) (order []*passage, roots map[string]bool, unknown []Problem) {
	roots = map[string]bool{}
	passages := map[string]*passage{}
	at := func(c Change, expected FileState) *passage {
		p := passages[c.Path]
		if p == nil {
			p = &passage{path: c.Path, expected: expected, target: expected}
			passages[c.Path] = p
			order = append(order, p)
		}
		return p
	}
	for _, n := range t.undoneNodes(from, to) {
		roots[n.Root] = true
		unknown = append(unknown, n.unknown()...)
		for _, c := range slices.Backward(n.Changes) {
			p := at(c, c.After)
			p.pass(c.After, c.Before)
			p.folders = append(p.folders, c.Made...)
		}
	}
	for _, n := range slices.Backward(t.undoneNodes(to, from)) {
		roots[n.Root] = true
		for _, c := range n.Changes {
			p := at(c, c.Before)
			p.pass(c.Before, c.After)
			p.folders = append(p.folders, c.Gone...)
		}
	}
	return order, roots, unknown
}

// pass adds a change of the file from one state to another.
func (p *passage) pass(from, to FileState) {
	if p.target != from {
		p.joints = append(p.joints, joint{p.target, from})
	}
	p.target = to
}

// halfway adds the files of an interrupted move to the passages from the head. Each of these files
// is in its state at the head or in its state at the other node.
func (t *tree) halfway(order []*passage) []*passage {
	known := make(map[string]*passage, len(order))
	for _, p := range order {
		known[p.path] = p
	}
	begun, _, _ := t.way(t.head, t.half.to)
	for _, b := range begun {
		if p := known[b.path]; p != nil {
			p.halfway = &b.target
			continue
		}
		order = append(order, &passage{path: b.path, expected: b.expected, target: b.expected, halfway: &b.target})
	}
	return order
}
