/** Markup, as distinct from text that has yet to be escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Content = Html | string | number | readonly Content[] | undefined

/** Builds markup: what is interpolated is text, unless it is markup already; a list is joined, `undefined` is nothing. */
export const html = (strings: TemplateStringsArray, ...contents: readonly Content[]): Html =>
  new Html(String.raw({ raw: strings }, ...contents.map(markupOf)))

/** Text whose passages between backticks are code, as the contract's descriptions have them. */
export const renderText = (text: string): Html =>
  html`${text
    .trim()
    .split('`')
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`

/** Code to copy; the page's script adds a button. */
export const renderCode = (text: Html | string): Html =>
  html`<div class="copied"><pre class="code" tabindex="0"><code>${text}</code></pre></div>`

/** A table. On a narrow screen the cells of a row stand below each other. */
export const renderTable = (id: string, columns: readonly string[], rows: readonly Html[]): Html => html`
  <table id="${id}">
    <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
    <tbody>${rows}</tbody>
  </table>`

/** Names and what they mean, such as headers. */
export const renderDefinitions = (entries: readonly (readonly [name: string, description: string])[]): Html =>
  html`<dl>${entries.map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${renderText(text)}</dd>`)}</dl>`

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A UTC date, `2030-12-05`, becomes `5 December 2030`. */
export const formatDate = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

const markupOf = (content: Content): string => {
  if (content === undefined) return ''
  if (content instanceof Html) return content.markup
  if (typeof content === 'object') return content.map(markupOf).join('')
  return String(content).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
