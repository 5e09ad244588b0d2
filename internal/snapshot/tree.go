package snapshot

import (
	"slices"
	"time"
)

// Change is one path that was changed.
type Change struct {
	// Path is relative to the workspace, with forward slashes.
	Path string `json:"path"`
	// Before and After are what stood there.
	Before State `json:"before"`
	After  State `json:"after"`
	// Made are folders that were made for it, Gone those that went with it.
	Made []string `json:"made,omitempty"`
	Gone []string `json:"gone,omitempty"`
}

// node is something that changed files: an edit of a tool, or a command.
type node struct {
	// ID numbers the nodes from 1; Up is the node before, 0 for the beginning.
	ID int `json:"n"`
	Up int `json:"up"`
	// Turn numbers what a person asked for, Title says it in a line.
	Turn int `json:"turn"`
	// Root is the workspace it was in.
	Root    string    `json:"root"`
	Title   string    `json:"title,omitempty"`
	At      time.Time `json:"at"`
	Changes []Change  `json:"changes"`
	// Unlisted is set for a command that may have created files besides, since the
	// workspace could not be listed. Unknown is why it is not known what it changed,
	// empty where it is.
	Unlisted bool   `json:"unlisted,omitempty"`
	Unknown  string `json:"unknown,omitempty"`
}

// unknown is what is not known of what a command changed.
func (n *node) unknown() (problems []Problem) {
	if n.Unlisted {
		problems = append(problems, Problem{"what commands may have created", "which files these are is not known, since the workspace could not be listed"})
	}
	if n.Unknown != "" {
		problems = append(problems, Problem{"what a command changed", "the program ended in the middle of it, and " + n.Unknown})
	}
	return problems
}

// tree is all that ever changed files, and where the workspace is now.
type tree struct {
	nodes map[int]*node
	last  int
	head  int
	// redo are the nodes to go back to, the latest undone last.
	redo []int
	// half is the way in the middle of which the program ended.
	half halfWay
	// began is the command in the middle of which it ended, nil for none.
	began *began
}

func newTree() tree { return tree{nodes: map[int]*node{}, half: nowhere} }

func (t *tree) add(n *node) {
	t.nodes[n.ID] = n
	t.last = max(t.last, n.ID)
	t.head, t.redo, t.half, t.began = n.ID, nil, nowhere, nil
}

// drop takes a node back that did not come about.
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
	delete(t.nodes, id)
}

// up are the nodes from id to the beginning, id first.
func (t *tree) up(id int) []*node {
	var nodes []*node
	for n := t.nodes[id]; n != nil; n = t.nodes[n.Up] {
		nodes = append(nodes, n)
		if n.Up >= n.ID { // a damaged journal must not make a circle
			break
		}
	}
	return nodes
}

// back returns the nodes whose changes the way from one node to another undoes, the latest
// first.
func (t *tree) back(from, to int) []*node {
	stays := map[int]bool{}
	for _, n := range t.up(to) {
		stays[n.ID] = true
	}
	return slices.DeleteFunc(t.up(from), func(n *node) bool { return stays[n.ID] })
}

// latestTurn is the node before the latest turn that changed something, and what
// that turn was.
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

// passage is what going from one node to another means for one path.
type passage struct {
	path             string
	expected, target State
	// halfway is what it may hold as well, since the program ended on the way there; nil
	// for nothing else.
	halfway *State
	// folders go when nothing is in them any more.
	folders []string
}

// way returns what going between two nodes changes, in no order, the workspaces in which
// that was changed, and what on the way back is not known.
func (t *tree) way(from, to int) (order []*passage, roots map[string]bool, unknown []Problem) {
	roots = map[string]bool{}
	passages := map[string]*passage{}
	at := func(c Change, expected State) *passage {
		p := passages[c.Path]
		if p == nil {
			p = &passage{path: c.Path, expected: expected}
			passages[c.Path] = p
			order = append(order, p)
		}
		return p
	}
	for _, n := range t.back(from, to) {
		roots[n.Root] = true
		unknown = append(unknown, n.unknown()...)
		for _, c := range slices.Backward(n.Changes) {
			p := at(c, c.After)
			p.target = c.Before
			p.folders = append(p.folders, c.Made...)
		}
	}
	for _, n := range slices.Backward(t.back(to, from)) {
		roots[n.Root] = true
		for _, c := range n.Changes {
			p := at(c, c.Before)
			p.target = c.After
			p.folders = append(p.folders, c.Gone...)
		}
	}
	return order, roots, unknown
}

// halfway adds to a way from the head what is known of files that were on their way to
// another node when the program ended: each is as at the head or as at that node.
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
