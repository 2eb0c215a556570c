// SPDX-License-Identifier: BSD-2-Clause
/*
 * style.h: light and dark, wide and narrow, on paper. Blue and vermilion are told apart by those who
 * see colours otherwise, too, and a difference in colour is one in shape or lightness besides.
 */
#include "style.h"

#include "analyzer/draw/html.h"

static const char style[] =
	/* colours */
	":root{--paper:#fffffc;--ink:#1b1b1a;--soft:#5c5c58;--rule:#d9d8d2;--own:#b8400c;"
	"--peers:#23618f;--band:#b9cfe0;--cell:#efeee9;--h1:#f6ddb0;--h2:#efb36a;--h3:#e2772e;"
	"--h4:#b8400c;--h5:#641c06}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#161615;--ink:#ecece6;--soft:#a5a59e;"
	"--rule:#3a3a37;--own:#ff9863;--peers:#8dc0ea;--band:#2c4a62;--cell:#2d2d2a;--h1:#4a3720;"
	"--h2:#7d521f;--h3:#c26a26;--h4:#ff9863;--h5:#ffe2c8}}\n"
	"@media print{:root{--paper:#fff;--ink:#000;--soft:#444}}\n"
	/* type */
	"*{box-sizing:border-box}\n"
	"html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,"
	"-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif}\n"
	"main{max-width:80rem;margin:0 auto;padding:2rem 1.5rem 4rem}\n"
	"h1,h2{font-family:Charter,'Bitstream Charter','Iowan Old Style',Palatino,'Noto Serif',"
	"'Liberation Serif',Georgia,serif;font-weight:600;text-wrap:balance;"
	"overflow-wrap:anywhere}\n"
	"h1{font-size:clamp(1.7rem,5vw,2.9rem);line-height:1.12;letter-spacing:-.01em;margin:.3rem "
	"0 .5rem}\n"
	/* a name that has room on a line of its own is not broken */
	"h1 b,h2 b,h1 span{display:inline-block;max-width:100%}\n"
	"h1 b,h2 b{font-weight:700;color:var(--own)}\n"
	"h2{font-size:1.45rem;line-height:1.25;margin:3.2rem 0 .3rem;padding-top:.9rem;"
	"border-top:1px solid var(--rule)}\n"
	"h3{font-size:1rem;font-weight:600;margin:1.8rem 0 .3rem}\n"
	"p{margin:.3rem 0 .8rem;max-width:44rem;overflow-wrap:anywhere}\n"
	".top,.note,figcaption,.key{color:var(--soft);font-size:.875rem}\n"
	".top{margin:0;max-width:none}\n"
	".lead{font-size:1.2rem;line-height:1.4;max-width:44rem}\n"
	".verdict+.verdict{margin-top:2.4rem}\n"
	/* facts */
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.2rem;margin:.8rem "
	"0;max-width:56rem}\n"
	"dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
	/* tables */
	"table{border-collapse:collapse;width:100%;font-size:.875rem;line-height:1.35;"
	"font-variant-numeric:tabular-nums;margin:.6rem 0}\n"
	"th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;"
	"border-bottom:1px solid var(--rule)}\n"
	"th{font-weight:600;color:var(--soft);vertical-align:bottom}\n"
	"td:first-child{overflow-wrap:anywhere;min-width:6rem}table.findings "
	"td:first-child{min-width:9rem}\n"
	".n{text-align:right;white-space:nowrap}\n"
	"td small{color:var(--soft);font-size:.8125rem}\n"
	"tr.first td{font-weight:600}tr.first td small{font-weight:400}\n"
	"ul{padding-left:1.1rem;margin:.4rem 0;max-width:50rem}li{margin:.25rem "
	"0;overflow-wrap:anywhere}\n"
	"dd ul{list-style:none;padding:0;margin:0}\n"
	"code{font-size:.875em;overflow-wrap:anywhere}.next small{color:var(--soft)}.next "
	"li{margin:.4rem 0}.next small{display:block}\n"
	/* charts: stretched drawings, labels beside them in text of its own size */
	"figure{margin:1.2rem 0;break-inside:avoid}\n"
	"figure h3{margin:0}\n"
	".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(27rem,100%),1fr));"
	"column-gap:2.5rem}\n"
	".key{display:flex;flex-wrap:wrap;gap:0 1.1rem;margin:.1rem 0 .5rem;align-items:center}\n"
	".key span{white-space:nowrap;max-width:100%;overflow:hidden;text-overflow:ellipsis}\n"
	".key svg{width:1.6rem;height:.8rem;vertical-align:-.05rem;margin-right:.35rem;"
	"overflow:visible}\n"
	".plot{position:relative;margin:0 .6rem 1.7rem 3.6rem;height:13rem;font-size:.75rem;"
	"font-variant-numeric:tabular-nums;color:var(--soft)}\n"
	".plot svg{display:block;width:100%;height:100%}.heat svg{display:block;width:100%}\n"
	".plot .labels,.axis .labels{position:absolute;inset:0;height:100%;overflow:visible}\n"
	".labels text{fill:var(--soft)}.labels .y,.labels .l{text-anchor:end}.labels "
	".x{text-anchor:middle}\n"
	".plot.dated{margin-top:2.9em}\n"
	".labels .e{fill:var(--ink);stroke:var(--paper);stroke-width:4;paint-order:stroke}\n"
	"svg *{vector-effect:non-scaling-stroke}\n"
	".own{fill:none;stroke:var(--own);stroke-width:2.25;stroke-linejoin:round;"
	"stroke-linecap:round}\n"
	".med{fill:none;stroke:var(--peers);stroke-width:1.5;stroke-dasharray:5 3}\n"
	".band{fill:var(--band);stroke:var(--band);stroke-width:1}\n"
	".grid{fill:none;stroke:var(--rule);stroke-width:1}\n"
	".dot{fill:none;stroke:var(--own);stroke-width:9;stroke-linecap:round}.dot.peer{stroke:var("
	"--peers)}\n"
	".when{fill:none;stroke:var(--ink);stroke-width:1;stroke-dasharray:2 2}\n"
	".flag{fill:none;stroke:var(--own);stroke-width:6}\n"
	/* heat map */
	".heat{display:grid;grid-template-columns:minmax(5rem,max-content) minmax(0,1fr) "
	"minmax(0,17rem);column-gap:.7rem;font-size:.8125rem;font-variant-numeric:tabular-nums;"
	"margin-top:.6rem}\n"
	".heat ol{list-style:none;margin:0;padding:0;max-width:none}\n"
	".heat li{height:1.25rem;line-height:1.25rem;margin:0;overflow:hidden;"
	"text-overflow:ellipsis;white-space:nowrap;max-width:12rem}\n"
	".heat li b{color:var(--own)}\n"
	".heat .why li{color:var(--soft);max-width:none}\n"
	".heat .draw{position:relative}.heat .draw.rest{margin-top:.8rem}\n"
	/* without a height its labels would not be painted */
	".heat .axis{position:relative;height:1px;margin-bottom:1.6rem;font-size:.75rem}\n"
	".heat path{vector-effect:none;fill:none}.tip{fill:transparent}\n"
	".c0{stroke:var(--cell)}.c1{stroke:var(--h1)}.c2{stroke:var(--h2)}.c3{stroke:var(--h3)}"
	".c4{stroke:var(--h4)}.c5{stroke:var(--h5)}.odd{stroke:var(--ink)}\n"
	".rest-of{color:var(--soft);margin-top:.8rem}\n"
	/* the tables of findings have nine and fourteen columns: where they have no room, and on paper, they are blocks */
	"@media(max-width:84rem),print{table.findings,.findings tbody{display:block}.findings "
	"thead{position:absolute;clip-path:inset(50%)}\n"
	".findings "
	"tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:0 "
	"1rem;padding:.5rem 0;border-bottom:1px solid var(--rule);break-inside:avoid}\n"
	".findings td{border:0;padding:.1rem 0;text-align:left}.findings "
	"td:first-child{grid-column:1/-1}\n"
	".findings td.n{white-space:normal;text-align:left}.findings td.none{display:none}\n"
	".findings td[data-h]::before{content:attr(data-h)' ';color:var(--soft);font-weight:400}}\n"
	/* narrow: a table's row becomes a block with its headings in it */
	"@media(max-width:44rem){main{padding:1.2rem 1rem 3rem}\n"
	"dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}\n"
	".wide,.heat .why{display:none}\n"
	".heat{grid-template-columns:fit-content(7.5rem) minmax(0,1fr)}\n"
	".odd-tick{display:none}\n"
	"table,tbody{display:block}thead{position:absolute;clip-path:inset(50%)}\n"
	"tr{display:grid;grid-template-columns:1fr 1fr;gap:0 1rem;padding:.6rem "
	"0;border-bottom:1px solid var(--rule)}\n"
	"td{border:0;padding:.1rem 0;text-align:left}td:first-child,td.all{grid-column:1/-1}\n"
	"td.n{white-space:normal;text-align:left}td.none{display:none}\n"
	"td[data-h]::before{content:attr(data-h)' ';color:var(--soft);font-weight:400}}\n"
	"@media print{main{max-width:none;padding:0}h2{break-after:avoid}}\n";

const char *html_style(void)
{
	return style;
}

void html_head(FILE *to, const char *title)
{
	html_enclose(to,
		     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		     "style-src 'unsafe-inline'\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		     title, "</title>\n<style>\n");
	fputs(style, to);
	fputs("</style>\n</head>\n<body>\n<main>\n", to);
}

void html_foot(FILE *to)
{
	fputs("</main>\n</body>\n</html>\n", to);
}
