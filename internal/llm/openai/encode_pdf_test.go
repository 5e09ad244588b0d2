package openai

import (
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
)

// If the vendor accepts PDF files, a PDF is a separate part in both APIs. Otherwise a text
// replaces it.
func TestPDFParts(t *testing.T) {
	t.Parallel()
	asked := llm.Request{Model: "m", History: []*history.Content{history.New(history.Human, &history.Text{Text: "read"}, &history.Media{MimeType: "application/pdf", Data: "QUJD"})}}
	for _, takes := range []bool{true, false} {
		req := request{Request: asked, wants: vendor.Wants{Documents: takes}}
		for part, body := range map[string]string{
			`{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,QUJD"}}`: string(chatCompletions{}.encode(req)),
			`{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,QUJD"}`:    string(responses{}.encode(req)),
		} {
			if strings.Contains(body, part) != takes || strings.Contains(body, "which the API does not support") == takes {
				t.Errorf("taken %v: %s", takes, body)
			}
		}
	}
}
