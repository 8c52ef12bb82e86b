// The parts of a report page that are the same on every page: its head, style and script.
#pragma once

#include <string>
#include <string_view>

namespace bellows::report {

inline constexpr std::string_view kPageStyle = R"css(
:root{--paper:#fcfcfb;--ink:#22262a;--soft:#5d666f;--rule:#dfe3e6;--load:#c9d3dc;--panic:#fbe1d3;
--c0:#0b6e99;--c1:#c4571b;--c2:#3f7d3a;--c3:#8a4fa3;--c4:#a8821a;--c5:#b03060;--c6:#555d66;--c7:#1f8a86}
@media(prefers-color-scheme:dark){:root{--paper:#16191c;--ink:#e7eaec;--soft:#9aa5ae;--rule:#30373d;
--load:#3a454f;--panic:#47301f;--c0:#5bb8e0;--c1:#f0955c;--c2:#86c77f;--c3:#c79bdd;--c4:#dfbd5c;
--c5:#ec86a8;--c6:#b4bcc4;--c7:#6cd0cb}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:28px 24px 60px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 2px}
p{margin:4px 0 10px;color:var(--soft)}p.verdict{color:var(--ink);font-size:17px;margin:6px 0 10px}
p.made{font-size:12px}p.made code{overflow-wrap:anywhere}
dl.columns{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font-size:13px;color:var(--soft)}
dl.columns dt{color:var(--ink)}dl.columns dd{margin:0}
p b{color:var(--ink);font-weight:600}
.scroll{overflow-x:auto}
table{border-collapse:collapse;margin:18px 0 6px;font-variant-numeric:tabular-nums;font-size:13px}
th,td{padding:4px 8px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
th{font-weight:600;color:var(--soft);white-space:normal;vertical-align:bottom}th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;
overflow-wrap:anywhere;min-width:11em}
tr.limit td{color:var(--soft)}td .dot{margin-right:6px}
.dot{display:inline-block;width:10px;height:10px;border-radius:2px}
.legend{font-size:13px;color:var(--soft)}.legend span{margin-right:16px}
.dot.load{background:var(--load)}.dot.panic{background:var(--panic)}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{font-size:11px;fill:var(--soft)}.grid{stroke:var(--rule)}.tick{stroke:var(--soft)}
.line{fill:none;stroke-width:1.5;stroke-linejoin:round}.area{stroke:none}
.load.area{fill:var(--load)}.panic{fill:var(--panic)}.dashed{stroke-dasharray:4 3}.mark{stroke-width:2}
.plot{position:relative}.cursor{position:absolute;top:0;bottom:0;width:1px;background:var(--soft);
pointer-events:none;display:none}
.tooltip{position:absolute;top:4px;padding:3px 8px;background:var(--paper);border:1px solid var(--rule);
border-radius:4px;font-size:12px;white-space:nowrap;pointer-events:none;display:none;
font-variant-numeric:tabular-nums}
)css";

/// Shows the time and the value of each curve under the pointer.
inline constexpr std::string_view kPageScript = R"js(
for(const plot of document.querySelectorAll('.plot')){
const data=JSON.parse(plot.querySelector('script').textContent);
const cursor=plot.querySelector('.cursor'),tooltip=plot.querySelector('.tooltip');
const hide=()=>{cursor.style.display=tooltip.style.display='none'};
plot.addEventListener('pointerleave',hide);
plot.addEventListener('pointermove',event=>{
const box=plot.getBoundingClientRect(),left=box.width*data.left,right=box.width*data.right;
const x=event.clientX-box.left,n=data.curves[0].values.length;
if(x<left||x>=right||!n)return hide();
const at=Math.floor((x-left)/(right-left)*n),second=Math.round(data.begin+at*data.interval);
const two=v=>String(v).padStart(2,'0'),day=Math.floor(second/86400),s=second%86400;
const clock=(day?day+'d ':'')+two(Math.floor(s/3600))+':'+two(Math.floor(s/60)%60)+':'+two(s%60);
tooltip.textContent=clock+'   '+data.curves.map(c=>c.name+' '+c.values[at]+data.unit).join('   ');
cursor.style.display=tooltip.style.display='block';cursor.style.left=x+'px';
const w=tooltip.offsetWidth;tooltip.style.left=Math.max(0,Math.min(box.width-w,x+(x+w+12>box.width?-w-8:8)))+'px';
})}
)js";

/// Returns the page up to the begin of its body: title, style and colours of curves, and `style`.
std::string page_head(std::string_view title, std::string_view style = {});

/// Returns the end of a page with plots.
std::string page_end();

}  // namespace bellows::report
