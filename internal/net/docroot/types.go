package docroot

import (
	"path"
	"strings"
	"sync"
)

// TypeOf returns the Content-Type for a file name by its extension, ignoring case. The table is our
// own, so that every machine gives the same answer. Nothing is guessed from content, because a
// browser might run what is guessed to be a page. Text is declared to be UTF-8, except XML, which
// declares its own encoding, and JSON, which always is UTF-8.
func TypeOf(name string) string {
	if t, ok := types()[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]; ok {
		return t
	}
	return "application/octet-stream"
}

const (
	plain    = "text/plain; charset=utf-8"
	markdown = "text/markdown; charset=utf-8"
	html     = "text/html; charset=utf-8"
	script   = "text/javascript; charset=utf-8"
)

// types is built when the first file is served.
var types = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// Text.
		"txt": plain, "text": plain, "log": plain, "conf": plain, "ini": plain, "cfg": plain, "diff": plain,
		"patch": plain, "go": plain, "rs": plain, "c": plain, "h": plain, "py": plain, "sh": plain, "sql": plain,
		"toml": plain, "sum": plain, "md5": plain, "sha256": plain, "asc": plain,
		"md": markdown, "markdown": markdown,
		"html": html, "htm": html,
		"css": "text/css; charset=utf-8",
		"js":  script, "mjs": script, "cjs": script,
		"csv": "text/csv; charset=utf-8", "tsv": "text/tab-separated-values; charset=utf-8",
		"ics": "text/calendar; charset=utf-8", "vcf": "text/vcard; charset=utf-8",
		"vtt": "text/vtt; charset=utf-8", "srt": "application/x-subrip",
		"rtf": "application/rtf", "tex": "application/x-tex",

		// Data.
		"json": "application/json", "map": "application/json", "geojson": "application/geo+json",
		"jsonld": "application/ld+json", "webmanifest": "application/manifest+json",
		"jsonl": "application/jsonl", "ndjson": "application/x-ndjson",
		"yaml": "application/yaml", "yml": "application/yaml",
		"xml": "application/xml", "xsl": "application/xml", "xsd": "application/xml",
		"xhtml": "application/xhtml+xml", "rss": "application/rss+xml", "atom": "application/atom+xml",
		"gpx": "application/gpx+xml", "kml": "application/vnd.google-earth.kml+xml",
		"kmz":     "application/vnd.google-earth.kmz",
		"parquet": "application/vnd.apache.parquet", "arrow": "application/vnd.apache.arrow.file",
		"sqlite": "application/vnd.sqlite3", "pcap": "application/vnd.tcpdump.pcap", "wasm": "application/wasm",
		"p12": "application/x-pkcs12", "crt": "application/x-x509-ca-cert", "pem": "application/x-pem-file",

		// Pictures.
		"png": "image/png", "apng": "image/apng", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
		"webp": "image/webp", "avif": "image/avif", "heic": "image/heic", "heif": "image/heif", "jxl": "image/jxl",
		"svg": "image/svg+xml", "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff",
		"ico": "image/vnd.microsoft.icon", "cur": "image/vnd.microsoft.icon", "psd": "image/vnd.adobe.photoshop",

		// Sound.
		"mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg",
		"opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "weba": "audio/webm", "mid": "audio/midi",
		"midi": "audio/midi", "aiff": "audio/aiff", "m3u": "audio/x-mpegurl",

		// Video.
		"mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
		"mkv": "video/x-matroska", "avi": "video/x-msvideo", "wmv": "video/x-ms-wmv", "flv": "video/x-flv",
		"mpg": "video/mpeg", "mpeg": "video/mpeg", "3gp": "video/3gpp", "ts": "video/mp2t", "m2ts": "video/mp2t",
		"m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml",

		// Fonts.
		"woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf", "ttc": "font/collection",
		"eot": "application/vnd.ms-fontobject",

		// Documents.
		"pdf": "application/pdf", "ps": "application/postscript", "eps": "application/postscript",
		"epub": "application/epub+zip", "mobi": "application/x-mobipocket-ebook", "djvu": "image/vnd.djvu",
		"doc": "application/msword", "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
		"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"odt":  "application/vnd.oasis.opendocument.text",
		"ods":  "application/vnd.oasis.opendocument.spreadsheet",
		"odp":  "application/vnd.oasis.opendocument.presentation",
		"eml":  "message/rfc822", "mbox": "application/mbox",

		// Archives and disk images. A compressed file is served as such here, not as a content
		// coding.
		"gz": "application/gzip", "tgz": "application/gzip", "svgz": "application/gzip",
		"zst": "application/zstd", "br": "application/x-brotli",
		"bz2": "application/x-bzip2", "xz": "application/x-xz", "lz4": "application/x-lz4",
		"zip": "application/zip", "tar": "application/x-tar", "7z": "application/x-7z-compressed",
		"rar": "application/vnd.rar", "jar": "application/java-archive", "war": "application/java-archive",
		"apk": "application/vnd.android.package-archive", "deb": "application/vnd.debian.binary-package",
		"rpm": "application/x-rpm", "cpio": "application/x-cpio",
		"iso": "application/vnd.efi.iso", "img": "application/octet-stream", "dmg": "application/x-apple-diskimage",
		"msi": "application/x-msi", "exe": "application/vnd.microsoft.portable-executable",
		"torrent": "application/x-bittorrent", "swf": "application/vnd.adobe.flash.movie",
	}
})
