package tools

import (
	"slices"
	"sync"
	"testing"

	"agent/internal/rules"
)

// server is a source of tools that are added and removed.
type server struct {
	mu       sync.Mutex
	revision uint64
	tools    []Tool
}

func (s *server) set(tools ...Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools, s.revision = tools, s.revision+1
}

func (s *server) source() Source {
	return Source{
		Revision: func() uint64 { s.mu.Lock(); defer s.mu.Unlock(); return s.revision },
		List:     func() []Tool { s.mu.Lock(); defer s.mu.Unlock(); return slices.Clone(s.tools) },
		Expects:  func(name string) bool { return name == "server_tool" },
	}
}

// Tools can be added and removed. An earlier offer stays unchanged, and the traits of a removed
// tool stay known.
func TestToolsComeAndGo(t *testing.T) {
	t.Parallel()
	var s server
	r := Join(FixedSource(Tool{Name: "own", Traits: Traits{Edits: true}}), s.source(), FixedSource(Tool{Name: "last"}))
	before := r.CurrentTools()
	s.set(Tool{Name: "server_tool", Traits: Traits{Reads: true}}, Tool{Name: "own", Traits: Traits{Reads: true}}, Tool{Name: "aside", Traits: Traits{Unoffered: true}})
	now := r.CurrentTools()
	if !slices.Equal(before.Names(), []string{"own", "last"}) || !slices.Equal(now.Names(), []string{"own", "server_tool", "aside", "last"}) {
		t.Errorf("before %q, now %q", before.Names(), now.Names())
	}
	if now.Revision == before.Revision || r.CurrentTools().Revision != now.Revision {
		t.Errorf("revisions %d, %d, %d", before.Revision, now.Revision, r.CurrentTools().Revision)
	}
	if own, err := r.Get("own"); err != nil || !own.Edits || !r.Traits("own").Edits {
		t.Error("a server has replaced a tool of ours")
	}
	var offered []string
	for _, tool := range r.ToolsForFormat("") {
		offered = append(offered, tool.Name)
	}
	if _, err := r.Get("aside"); err != nil || slices.Contains(offered, "aside") || !slices.Contains(offered, "server_tool") {
		t.Errorf("offered %q; aside: %v", offered, err)
	}
	s.set()
	if _, err := r.Get("server_tool"); err == nil {
		t.Error("a tool that went is there")
	}
	if !r.Traits("server_tool").Reads {
		t.Error("what a tool declared is forgotten with it")
	}
}

// --allow may name a tool that a source will provide later, but not a misspelled name.
func TestRulesForToolsThatComeLater(t *testing.T) {
	t.Parallel()
	var s server
	r := Join(FixedSource(Tool{Name: "own"}), s.source())
	rule, err := r.ParseRule("server_tool(*)")
	if err != nil || !(rules.Rules{rule}).Allows("server_tool", nil, nil) {
		t.Errorf("%v, %v", rule, err)
	}
	for _, text := range []string{"sever_tool(*)", "server_tool(a)"} {
		if _, err := r.ParseRule(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
