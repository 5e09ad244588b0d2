package tools

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/base/arguments"
)

func TestWebFetch(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html><head><style>p{}</style></head><body><h1>Title</h1><p>a <b>bold</b> word</p><script>evil()</script></body></html>")
		case "/long":
			fmt.Fprint(w, strings.Repeat("a line of text\n", 10_000))
		case "/line":
			fmt.Fprint(w, `{"values":[`+strings.Repeat(`"ü",`, 50_000))
		case "/deep":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, strings.Repeat("<div>", 1000))
		case "/image":
			fmt.Fprint(w, "\x89PNG\x00\x00")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	open := Limits{OutputTokens: 1000, PrivateAddresses: true}
	for name, tc := range map[string]struct {
		limits     Limits
		path, form string
		holds      []string
		lacks      string
		fails      string
	}{
		"markdown":    {open, "/page", "", []string{"# Title", "a **bold** word", server.URL + "/page"}, "evil", ""},
		"text":        {open, "/page", "text", []string{"Title\na\nbold\nword"}, "evil", ""},
		"html":        {open, "/page", "html", []string{"<b>bold</b>"}, "**", ""},
		"long":        {open, "/long", "", []string{"a line of text", "[cut: the page has "}, "", ""},
		"one line":    {open, "/line", "", []string{`{"values":["ü","ü",`, "[cut: the page has "}, "\uFFFD", ""},
		"too deep":    {open, "/deep", "", nil, "", "use format html"},
		"binary":      {open, "/image", "", nil, "", "is not text"},
		"missing":     {open, "/none", "", nil, "", "404"},
		"refused":     {Limits{OutputTokens: 1000}, "/page", "", nil, "", "web-fetch.private"},
		"bad format":  {open, "/page", "pdf", nil, "", "markdown, text or html"},
		"bad address": {open, "nonsense", "", nil, "", "must start with http"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := server.URL + tc.path
			if tc.path == "nonsense" {
				address = tc.path
			}
			plan, err := webFetch().Plan(t.Context(), &Env{Limits: tc.limits}, arguments.Parse(fmt.Sprintf(`{"url":%q,"format":%q}`, address, tc.form)))
			answer := Answer{}
			if err != nil {
				answer.Error = err.Error()
			} else {
				answer = plan.Apply(t.Context())
			}
			if (answer.Error != "") != (tc.fails != "") || !strings.Contains(answer.Error, tc.fails) {
				t.Fatalf("%+v", answer)
			}
			for _, want := range tc.holds {
				if !strings.Contains(answer.ModelText(), want) {
					t.Errorf("no %q in %.300q", want, answer.ModelText())
				}
			}
			if tc.lacks != "" && strings.Contains(answer.Text, tc.lacks) {
				t.Errorf("%q in %.300q", tc.lacks, answer.Text)
			}
			if len(answer.ModelText()) > tc.limits.OutputBytes() {
				t.Errorf("%d bytes", len(answer.ModelText()))
			}
		})
	}
	if tool := webFetch(); !tool.Network || tool.IsHarmless() {
		t.Error("nobody is asked")
	}
}
