package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/provider/catalogue"
)

// A model list is accepted only with the right digest, below the size limit, and over https or from
// this machine.
func TestFetchModels(t *testing.T) {
	t.Parallel()
	const list = "#\t2027-01-01\n"
	digest := func(text string) string { return fmt.Sprintf("%x  models.tsv\n", sha256.Sum256([]byte(text))) }
	large := strings.Repeat("x", catalogue.MaxSize+1)
	for name, tc := range map[string]struct {
		list, sum string
		wrong     string
	}{
		"good":         {list, digest(list), ""},
		"other digest": {list, digest("other"), "does not match the digest"},
		"no digest":    {list, "", "does not match the digest"},
		"too large":    {large, digest(large), "answered with more than"},
		"none":         {"", "", "status 404"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case tc.list == "":
				http.NotFound(w, r)
			case strings.HasSuffix(r.URL.Path, ".sha256"):
				fmt.Fprint(w, tc.sum)
			default:
				fmt.Fprint(w, tc.list)
			}
		}))
		text, err := fetchModels(t.Context(), srv.URL+"/models.tsv")
		srv.Close()
		if tc.wrong == "" && (err != nil || text != list) || tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong)) {
			t.Errorf("%s: %.20q, %v", name, text, err)
		}
	}
	if _, err := fetchModels(t.Context(), "http://lists.example/models.tsv"); err == nil {
		t.Error("plain http to another machine was tried")
	}
}
