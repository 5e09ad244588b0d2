package openai

import (
	"net/http"

	"agent/internal/llm"
	"agent/internal/pattern"
)

// aboutImages tells a request refused for its images, in the words of models and
// servers without eyes; filtered one refused by a filter of contents.
var (
	aboutImages = pattern.New(`image_url|image\(s\)|image[ _-]?(input|content|data|dimensions|format)|(no|any|supports?|process|accepts?|enable|allow|invalid|input|0) images?\b|\bimages? (is|are|not|could|exceeds)|not (a )?multi-?modal|mmproj|(support|have) vision|content\.type|content.{0,20} (must|should) be a (valid )?string|messages?\[\d+\].{0,60}expected a string`)
	filtered    = pattern.New(`content.?(filter|policy|management|moderation|exists risk)|moderation|flagged|inappropriate|prohibited.content|data_inspection_failed|safety.(system|filter|check)|violat\w+ .{0,40}(polic|guideline)|new_sensitive|sensitive (content|words|information)|high risk|敏感|legal reasons`)
)

// ofContent finds out whether a request was refused for what is in it.
func ofContent(p problem, said string) (kind llm.ErrorKind, hint string, is bool) {
	switch p.status {
	case 0, http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusUnavailableForLegalReasons:
		if filtered.MatchString(said) {
			return llm.BadRequest, hintContent, true
		}
	}
	switch p.status {
	case 0, http.StatusBadRequest, http.StatusNotFound, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		http.StatusInternalServerError, http.StatusNotImplemented:
		return llm.NoImages, hintImages, aboutImages.MatchString(said)
	}
	return 0, "", false
}
