package viewer

import (
	"bufio"
	"fmt"
	"net/url"
	"strings"
)

// A markup is trusted HTML: only constants of this package convert to it.
type markup string

// escaped escapes text for elements and double-quoted attributes.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;", "\x00", "\ufffd")

// writef writes markup formatted as by [fmt.Fprintf], with each argument escaped.
func writef(out *bufio.Writer, m markup, args ...any) {
	for i, arg := range args {
		args[i] = escaped.Replace(fmt.Sprint(arg))
	}
	fmt.Fprintf(out, string(m), args...)
}

// writeHead writes the start of a page up to the attributes of its body.
func writeHead(out *bufio.Writer, policy, version, title, style string) {
	writef(out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="handoff %s">
<title>%s</title>
<style>`, policy, version, title)
	out.WriteString(style)
	out.WriteString("</style>\n</head>\n<body")
}

func (h head) write(out *bufio.Writer) {
	writeHead(out, h.Policy(), h.version, h.title, style())
	if h.DetailsURL != "" {
		writef(out, ` data-details="%s"`, h.DetailsURL)
	}
	writef(out, `>
<a class="skip" href="#main">Skip to the list</a>
<div id="top">`)
	if len(h.Links) > 0 {
		writef(out, `
<nav class="crumbs" aria-label="Pages"><ol>`)
		for _, link := range h.Links {
			writef(out, `<li><a href="%s">%s</a></li>`, local(link.URL), link.Text)
		}
		writef(out, `</ol></nav>`)
	}
	writef(out, `
<header id="header"></header>
<main id="main" tabindex="-1"></main>
</div>
<div id="panel" role="complementary" hidden></div>
<div id="live" class="unseen" role="status"></div>
<noscript>
<div class="plain">
<h1>%s</h1>
<p>This page shows %s handoffs of %s tasks between agents. It needs JavaScript, which is
switched off or not supported here; it loads nothing from other places.</p>
`, h.title, h.handoffs, h.tasks)
	if h.command != "" {
		writef(out, `<p>This command shows the same in a terminal:</p>
<pre>%s</pre>
`, h.command)
	} else {
		writef(out, `<p>In a terminal, <code>handoff chain</code> shows messages, and <code>handoff audit trace</code> shows the records of a task in an audit log.</p>
`)
	}
	writef(out, `</div>
</noscript>
`)
}

// local returns link if it is on the page's own server, and "#" otherwise, so that no link runs a
// script.
func local(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return "#"
	}
	return u.String()
}
