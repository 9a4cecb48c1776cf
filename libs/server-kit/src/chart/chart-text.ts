/** Characters that XML 1.0 forbids, controls, and marks that reorder or hide text. */
const UNSAFE =
  // eslint-disable-next-line no-control-regex -- these are the characters in question.
  /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFFE\uFFFF]/g;
const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const NARROW = /[ijlftrI.,:;'|!()[\]-]/;
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;
/** Created by the first chart: it loads tables that a server without charts never needs. */
let segmenter: Intl.Segmenter | undefined;

/** Escapes text for an XML text node or attribute. Replaces characters that XML cannot contain. */
export function escapeXml(text: string): string {
  return clean(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Returns the text on one line, cut with an ellipsis after `maxCharacters` visible characters. */
export function cutLabel(text: string, maxCharacters: number): string {
  const kept: string[] = [];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(clean(text.slice(0, maxCharacters * 20)))) {
    if (kept.length === maxCharacters) return `${kept.slice(0, -1).join('')}…`;
    kept.push(segment);
  }
  return kept.join('');
}

/** Estimates the width of a text in pixels, for a sans-serif font. */
export function textWidth(text: string, fontSize: number): number {
  let ems = 0;
  for (const character of text) {
    if (WIDE.test(character)) ems += 1;
    else if (NARROW.test(character)) ems += 0.33;
    else ems += /[A-Zmw%@]/.test(character) ? 0.72 : 0.56;
  }
  return ems * fontSize;
}

function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\t\n\r]+/g, ' ')
    .replace(UNSAFE, '\uFFFD');
}
