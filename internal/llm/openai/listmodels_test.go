package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// TestListModels reads the context window from every member of the list that can contain it.
func TestListModels(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t)
	srv.Answer("/v1/models", `{"object":"list","data":[{"id":"gpt-4o","owned_by":"system"},{"id":"q","owned_by":"vllm","max_model_len":32768},{"id":"a/b","context_length":1000},{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`)
	client, _ := newClient(t, srv)
	got, err := client.ListModels(t.Context())
	want := []openai.ModelInfo{
		{ID: "gpt-4o", OwnedBy: "system"},
		{ID: "q", OwnedBy: "vllm", ContextLimit: 32768},
		{ID: "a/b", ContextLimit: 1000},
		{ID: "m.gguf", OwnedBy: "llamacpp", ContextLimit: 131072},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestListModelsFails(t *testing.T) {
	t.Parallel()
	for body, kind := range map[string]llm.ErrorKind{"": llm.NotAnAPI, "<html>": llm.NotAnAPI, `{"models":[]}`: llm.NotAnAPI} {
		srv := llmtest.New(t)
		srv.Answer("/v1/models", body)
		client, _ := newClient(t, srv)
		_, err := client.ListModels(t.Context())
		if got := failure(t, err); got.Kind != kind || !strings.Contains(err.Error(), srv.URL) {
			t.Errorf("%q: got %v", body, err)
		}
	}
}

// ListModels omits ids that no model has, so that no list, picker or record shows them. Examples
// are control characters, invisible characters, several lines, very long ids, and ids that contain
// the API key.
func TestListModelsOmitsInvalidIDs(t *testing.T) {
	t.Parallel()
	ids := []string{
		"a b/c:7b@q4_K_M.gguf", "模型-1", "",
		"x\x1b[2J", "x\x00", "x\ny", "x\ty", "\u202ex", "x\u200b", "\u009b2J", strings.Repeat("x", 1000), "of sk-test-0123456789",
	}
	entries := make([]map[string]string, len(ids))
	for i, id := range ids {
		entries[i] = map[string]string{"id": id}
	}
	list, err := json.Marshal(map[string]any{"data": entries})
	if err != nil {
		t.Fatal(err)
	}
	srv := llmtest.New(t)
	srv.Answer("/v1/models", string(list))
	client, _ := newClient(t, srv)
	got, err := client.ListModels(t.Context())
	if diff := cmp.Diff([]openai.ModelInfo{{ID: ids[0]}, {ID: ids[1]}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
