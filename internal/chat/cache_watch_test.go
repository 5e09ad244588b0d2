package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/chat/cachemiss"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/tools"
)

// prefixCache simulates a provider's cache of request bytes. It finds the longest common prefix
// with the previous request, for a limited time.
type prefixCache struct {
	life  time.Duration
	now   func() time.Time
	drops bool
	// tokens counts like the provider. If it is nil, four bytes are one token.
	tokens history.Counter
	// as computes the reported numbers from a size and a common prefix. If it is nil, the cached
	// number has steps of 128.
	as func(size, shared int) (prompt, cached int)

	model  string
	parts  []string
	latest time.Time
}

// report returns the usage that the provider reports for a request: its size and the cached tokens,
// in steps of 128.
func (p *prefixCache) report(r llm.Request) llm.Usage {
	parts := []string{r.System}
	for _, tool := range r.Tools {
		parts = append([]string{tool.Name + tool.Description}, parts...)
	}
	for _, entry := range r.History {
		for _, block := range entry.Blocks {
			switch b := block.(type) {
			case *history.Text:
				parts = append(parts, b.Text)
			case *history.ToolCall:
				parts = append(parts, b.Name+string(b.Parameters))
			case *history.ToolResponse:
				parts = append(parts, b.Result.Text())
			}
		}
	}
	count, unit := func(text string) int { return len(text) }, 4
	if p.tokens != nil {
		count, unit = p.tokens.Count, 1
	}
	size, shared, same := 0, 0, p.model == r.Model && p.now().Sub(p.latest) <= p.life && !p.drops
	for i, part := range parts {
		size += count(part)
		if same && i < len(p.parts) {
			n := 0
			for n < min(len(part), len(p.parts[i])) && part[n] == p.parts[i][n] {
				n++
			}
			shared += count(part[:n])
			same = n == len(part) && n == len(p.parts[i])
		}
	}
	p.model, p.parts, p.latest, p.drops = r.Model, parts, p.now(), false
	prompt, cached := size/unit, shared/unit/128*128
	if p.as != nil {
		prompt, cached = p.as(size/unit, shared/unit)
	}
	return llm.Usage{PromptTokens: prompt, CompletionTokens: 5, CachedTokens: cached}
}

// cacheBench is a conversation with a cached provider. Tests change its system prompt and tools.
type cacheBench struct {
	*bench
	cache  *prefixCache
	now    time.Time
	system string
	heads  int
}

func newCacheBench(t *testing.T, known vendor.Cache) *cacheBench {
	c := &cacheBench{bench: newBench(t), now: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}
	c.system = "be brief\n\n# This session\n\n- Date: 2026-11-28\n- Git: clean\n\n# Instructions from /w/AGENTS.md\n\nuse tabs\n" + strings.Repeat("and more of it\n", 200)
	c.set("tools", "all")
	c.config.Tools = tools.NewRegistry(fakeTool("read_file", nil), fakeTool("write_file", nil))
	c.config.System = func(bool, []string, func(string) bool) (string, bool) { return c.system, false }
	c.set("compression.strategy", "cache-aware")
	clock := func() time.Time { return c.now }
	c.config.Now = clock
	c.at.cache, c.at.window, c.at.prices = known, 10_000_000, &settings.Prices{Input: 2, CacheRead: 0.5, CacheWrite: 2, Output: 8}
	c.cache = &prefixCache{life: cmp.Or(known.Life, 5*time.Minute), now: clock}
	c.config.HeadKey = func() string { return fmt.Sprint(c.heads, settings.Model.Value(c.config.Settings)) }
	c.renew()
	c.model.next = func(n int) answerFunc {
		return func(_ context.Context, r llm.Request, yield func(llm.Chunk, error) bool) {
			usage := c.cache.report(r)
			_ = yield(llm.Text{Delta: fmt.Sprint("answer ", n)}, nil) && yield(usage, nil) && yield(llm.Finish{Reason: "stop"}, nil)
		}
	}
	return c
}

// turn sends a message after a pause and returns the cache miss of the reply, or nil.
func (c *cacheBench) turn(t *testing.T, text string) *cachemiss.Miss {
	t.Helper()
	c.now = c.now.Add(20 * time.Second)
	before := len(cachemiss.MissesIn(c.config.History.RawHistory()))
	if _, err := c.Prompt(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if breaks := cachemiss.MissesIn(c.config.History.RawHistory()); len(breaks) > before {
		return &breaks[len(breaks)-1]
	}
	return nil
}

// plants returns functions that each cause a cache miss, by cause.
func (c *cacheBench) plants(r *rand.Rand) map[cachemiss.Cause]func() {
	n := r.IntN(1_000_000)
	return map[cachemiss.Cause]func(){
		cachemiss.CauseModel:        func() { c.set("model", fmt.Sprint("model-", n)) },
		cachemiss.CauseTools:        func() { c.addTool(fmt.Sprint("tool_", n)) },
		cachemiss.CauseClock:        func() { c.redate(fmt.Sprintf("2027-%02d-%02d", 1+n%12, 1+n%28)) },
		cachemiss.CauseInstructions: func() { c.rewrite("use tabs", fmt.Sprint("use tabs ", n)) },
		cachemiss.CausePrompt:       func() { c.rewrite("- Git: clean", fmt.Sprint("- Git: clean ", n)) },
		cachemiss.CauseTTL:          func() { c.now = c.now.Add(c.cache.life + time.Duration(n)*time.Millisecond) },
		cachemiss.CauseProvider:     func() { c.cache.drops = true },
		cachemiss.CausePruning: func() {
			c.shrink(cachemiss.CausePruning)
		},
		cachemiss.CauseEdit: func() { c.shrink(cachemiss.CauseEdit) },
	}
}

func (c *cacheBench) rewrite(line, with string) {
	for i, was := range strings.Split(c.system, "\n") {
		if strings.HasPrefix(was, line) {
			lines := strings.Split(c.system, "\n")
			lines[i] = with
			c.system = strings.Join(lines, "\n")
			break
		}
	}
	c.heads++
}

func (c *cacheBench) redate(date string) {
	if strings.Contains(c.system, date) {
		date = "2028" + date[4:]
	}
	c.rewrite("- Date: ", "- Date: "+date)
}

// shrink shortens the second entry, and records cause as the reason.
func (c *cacheBench) shrink(cause cachemiss.Cause) {
	before := c.window.Measure.Tokens()
	entry := c.config.History.RawHistory()[2]
	text := entry.Text()
	after := entry.WithBlocks([]history.Block{&history.Text{Text: text[:len(text)-9]}})
	if err := c.config.History.ApplyDensityResult(history.DensityResult{Replacements: map[int]*history.Content{2: after}}); err != nil {
		c.t.Fatal(err)
	}
	if cause == cachemiss.CausePruning {
		c.emitStep(window.Density{Prunes: []window.Prune{{Subject: "a.go"}}, TokensBefore: before, TokensAfter: c.window.Measure.Tokens()})
	}
}

// TestCausedMissesAreReported causes cache misses of each kind at random times. Each miss is reported
// with its cause, and no other request reports one. AGENT_CACHE_BREAKS is the number of misses,
// with ten requests each.
func TestCausedMissesAreReported(t *testing.T) {
	t.Parallel()
	planted := 18
	if n, err := strconv.Atoi(os.Getenv("AGENT_CACHE_BREAKS")); err == nil {
		planted = n
	}
	causes := []cachemiss.Cause{cachemiss.CauseModel, cachemiss.CauseTools, cachemiss.CauseClock, cachemiss.CauseInstructions, cachemiss.CausePrompt, cachemiss.CauseTTL, cachemiss.CauseProvider, cachemiss.CausePruning, cachemiss.CauseEdit}
	named, clean := 0, 0
	for _, known := range []vendor.Cache{{}, {Kind: vendor.CachePrefix, Life: 10 * time.Minute, StepTokens: 128}} {
		r := rand.New(rand.NewPCG(1, uint64(known.Life)))
		c := newCacheBench(t, known)
		for range 3 {
			if b := c.turn(t, strings.Repeat("the beginning is long. ", 700)); b != nil {
				t.Fatal(b)
			}
		}
		for i := range planted / 2 {
			for range 1 + r.IntN(18) {
				if b := c.turn(t, "and "+strings.Repeat("so ", r.IntN(400))); b != nil {
					t.Fatalf("no cache was broken: %v", b)
				}
				clean++
			}
			cause := causes[i%len(causes)]
			c.plants(r)[cause]()
			b := c.turn(t, "go on")
			if b == nil || b.Cause != cause || b.Tokens <= 0 || b.Dollars <= 0 || b.What == "" {
				t.Fatalf("%s is told as %v", cause, b)
			}
			named++
		}
		told := map[string]int{}
		for _, e := range c.events {
			if n, ok := e.(Notice); ok && strings.HasPrefix(n.Text, "cache: ") {
				told[n.Text]++
			}
		}
		if len(told) > len(causes) || len(told) < min(planted/2, len(causes)) {
			t.Errorf("%d notices: %v", len(told), told)
		}
	}
	t.Logf("%d breaks named, none in %d other requests", named, clean)
}

// With notice.cache off no notice is shown. A provider that reports no cache use has no misses.
func TestMissesWithoutNotice(t *testing.T) {
	t.Parallel()
	c := newCacheBench(t, vendor.Cache{})
	c.set("notice.cache", "off")
	for i := range 4 {
		c.cache.drops = i == 3
		c.turn(t, strings.Repeat("long ", 3000))
	}
	if len(cachemiss.MissesIn(c.config.History.RawHistory())) != 1 {
		t.Error("the break is not noted")
	}
	for _, e := range c.events {
		if n, ok := e.(Notice); ok && strings.HasPrefix(n.Text, "cache: ") {
			t.Error(n.Text)
		}
	}
	c = newCacheBench(t, vendor.Cache{Kind: vendor.CacheNone})
	for range 4 {
		c.cache.drops = true
		if b := c.turn(t, strings.Repeat("long ", 3000)); b != nil {
			t.Error(b)
		}
	}
}

// reopened resumes the session from its record, like another process would, with some settings.
func (c *cacheBench) reopened(t *testing.T, strategy string, set ...string) *cacheBench {
	t.Helper()
	var entries []*history.Content
	for _, entry := range c.config.History.RawHistory() {
		data, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		read := new(history.Content)
		if err := json.Unmarshal(data, read); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, read)
	}
	again := newCacheBench(t, c.at.cache)
	again.set("compression.strategy", strategy)
	for pair := range slices.Chunk(set, 2) {
		again.set(pair[0], pair[1])
	}
	again.now, again.cache, again.system, again.heads = c.now, c.cache, c.system, c.heads
	c.cache.now = func() time.Time { return again.now }
	again.Chat.config.Tools = c.Chat.config.Tools
	again.config = again.Chat.config
	if err := again.resume(entries, nil); err != nil {
		t.Fatal(err)
	}
	return again
}

// A resumed session compares its first request with the one before, with every strategy. The cause
// of a miss has the same name as in one process, and each cause is reported once in a session.
func TestMissesAfterAResume(t *testing.T) {
	t.Parallel()
	for _, strategy := range compression.Names() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			c := newCacheBench(t, vendor.Cache{Life: 5 * time.Minute})
			c.set("compression.strategy", strategy)
			c.renew()
			r := rand.New(rand.NewPCG(1, 9))
			for range 3 {
				c.turn(t, strings.Repeat("long ", 3000))
			}
			seen := map[cachemiss.Cause]bool{}
			for range 2 {
				for _, cause := range []cachemiss.Cause{cachemiss.CauseTTL, cachemiss.CauseInstructions, cachemiss.CauseClock, cachemiss.CausePrompt, cachemiss.CauseTools, cachemiss.CauseModel, cachemiss.CauseProvider} {
					c = c.reopened(t, strategy)
					if b := c.turn(t, "as before"); b != nil {
						t.Fatalf("no cache was broken: %v", b)
					}
					c = c.reopened(t, strategy)
					c.plants(r)[cause]()
					b := c.turn(t, "go on")
					if b == nil || b.Cause != cause || strings.Contains(b.What, "since the session was closed") {
						t.Fatalf("%s is told as %v", cause, b)
					}
					if told := c.notices("cache: ") == 1; told == seen[cause] {
						t.Errorf("%s is told: %t", cause, told)
					}
					seen[cause] = true
				}
			}
		})
	}
}

// A resumed session knows the endpoint of the previous request. A different endpoint is the cause
// of a miss, and the same endpoint is not.
func TestMissesAtAnotherEndpoint(t *testing.T) {
	t.Parallel()
	c := newCacheBench(t, vendor.Cache{})
	c.set("base-url", "https://one.example.com/v1")
	for range 3 {
		c.turn(t, strings.Repeat("long ", 3000))
	}
	for _, tc := range []struct {
		url  string
		want cachemiss.Cause
	}{
		{"https://one.example.com/v1", cachemiss.CauseProvider},
		{"https://two.example.com/v1", cachemiss.CauseModel},
		{"https://two.example.com/v1", cachemiss.CauseProvider},
	} {
		c = c.reopened(t, "cache-aware", "base-url", tc.url)
		c.cache.drops = true
		if b := c.turn(t, "go on"); b == nil || b.Cause != tc.want {
			t.Errorf("%s: %v, want %s", tc.url, b, tc.want)
		}
		ended := slices.IndexFunc(c.events, func(e Event) bool { _, is := e.(ReplyEnded); return is })
		told := slices.IndexFunc(c.events, func(e Event) bool { n, is := e.(Notice); return is && strings.HasPrefix(n.Text, "cache:") })
		if told < ended && (told >= 0 || tc.want == cachemiss.CauseModel) {
			t.Errorf("the notice is event %d, and the reply ends with event %d", told, ended)
		}
		if b := c.turn(t, "go on"); b != nil {
			t.Errorf("%s: %v", tc.url, b)
		}
	}
}

// notices counts the notices that begin with a text.
func (c *cacheBench) notices(beginning string) (n int) {
	for _, e := range c.events {
		if notice, ok := e.(Notice); ok && strings.HasPrefix(notice.Text, beginning) {
			n++
		}
	}
	return n
}

// Providers count cached tokens in different ways: in blocks, with a tail, or without some part of
// the request. None of these is reported as a miss, and neither is a model that reports no cache
// use.
func TestReportsWithoutMisses(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]func(size, shared int) (prompt, cached int){
		"blocks of 128":               func(size, shared int) (int, int) { return size, shared / 128 * 128 },
		"blocks of 1024":              func(size, shared int) (int, int) { return size, shared / 1024 * 1024 },
		"blocks of 1024 and a tail":   func(size, shared int) (int, int) { return size + 40, shared / 1024 * 1024 },
		"blocks of 2048 and a tail":   func(size, shared int) (int, int) { return size + 40, shared / 2048 * 2048 },
		"tools behind what was said":  func(size, shared int) (int, int) { return size + 5000, shared },
		"the same in blocks of 1024":  func(size, shared int) (int, int) { return size + 5000, shared / 1024 * 1024 },
		"no report":                   func(size, _ int) (int, int) { return size, 0 },
		"a count that is too low":     func(size, shared int) (int, int) { return size / 2, shared / 2 },
		"cached is all but the tail":  func(size, shared int) (int, int) { return size, max(0, shared-3) },
		"what was read is not sized":  func(int, int) (int, int) { return 0, 0 },
		"more cached than was sent":   func(size, shared int) (int, int) { return size, shared + 300 },
		"a step of 64 below the half": func(size, shared int) (int, int) { return size, shared / 64 * 64 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCacheBench(t, vendor.Cache{})
			c.cache.as = report
			r := rand.New(rand.NewPCG(1, 10))
			for i := range 60 {
				if b := c.turn(t, strings.Repeat("so ", 100+r.IntN(1500))); b != nil {
					t.Fatalf("request %d: %v", i, b)
				}
			}
		})
	}
}

// A model that reports no cache use has no misses, whatever the model before it reported.
func TestAModelWithoutReports(t *testing.T) {
	t.Parallel()
	c := newCacheBench(t, vendor.Cache{})
	for range 3 {
		c.turn(t, strings.Repeat("long ", 3000))
	}
	c.set("model", "silent")
	c.cache.as = func(size, _ int) (int, int) { return size, 0 }
	if b := c.turn(t, "go on"); b == nil || b.Cause != cachemiss.CauseModel {
		t.Fatalf("%v", b)
	}
	for range 3 {
		if b := c.turn(t, "go on"); b != nil {
			t.Error(b)
		}
	}
	c.cache.as = nil
}

// If a provider of unknown lifetime finds nothing after a pause, its cache has expired, and a
// change after the tools is not the cause. If it finds the tools, the change is the cause.
func TestMissesAfterAPause(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		drops bool
		want  cachemiss.Cause
	}{{true, cachemiss.CauseTTL}, {false, cachemiss.CauseInstructions}} {
		c := newCacheBench(t, vendor.Cache{})
		c.cache.life = time.Hour
		c.addTool(strings.Repeat("named_at_length_", 40))
		for range 3 {
			c.turn(t, strings.Repeat("long ", 3000))
		}
		c.now = c.now.Add(10 * time.Minute)
		c.cache.drops = tc.drops
		c.rewrite("use tabs", "use blanks")
		if b := c.turn(t, "go on"); b == nil || b.Cause != tc.want {
			t.Errorf("%v, want %s", b, tc.want)
		}
	}
}

// Content that the user removes is named as the cause.
func TestPruningByTheUserIsACause(t *testing.T) {
	t.Parallel()
	c := newCacheBench(t, vendor.Cache{})
	c.turn(t, strings.Repeat("long ", 3000))
	c.pair("a", "read_file", "/w/a.go", strings.Repeat("text of the file\n", 600))
	c.turn(t, strings.Repeat("long ", 6000))
	c.turn(t, "go on")
	for _, item := range c.window.Contents.Items() {
		if item.Subject == "/w/a.go" {
			done := make(chan error, 1)
			go func() {
				_, err := c.Chat.PruneItem(t.Context(), item)
				done <- err
			}()
			if err, _ := await(c.inbox, done); err != nil {
				t.Fatal(err)
			}
		}
	}
	if b := c.turn(t, "go on"); b == nil || b.Cause != cachemiss.CauseEdit || !strings.Contains(b.What, "you let") || !strings.Contains(b.What, "a.go") {
		t.Errorf("%v", b)
	}
}

// Misses on several days are listed with dates.
func TestMissesAreListedWithDates(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	one := []cachemiss.Miss{{At: at, What: "a", Tokens: 2000}, {At: at.Add(time.Hour), What: "b", Tokens: 2000}}
	if got := cachemiss.DescribeMisses(one); !strings.HasPrefix(got[0], "09:00:00  2") || len(got) != 5 {
		t.Errorf("%q", got)
	}
	if got := cachemiss.DescribeMisses(append(one, cachemiss.Miss{At: at.Add(48 * time.Hour)})); !strings.HasPrefix(got[2], "2026-11-28 10:00:00  2") {
		t.Errorf("%q", got)
	}
}

// addTool offers one more tool, starting with the next request.
func (c *cacheBench) addTool(name string) {
	c.Chat.config.Tools = tools.NewRegistry(append(c.Chat.config.Tools.All(), fakeTool(name, nil))...)
	c.heads++
}
