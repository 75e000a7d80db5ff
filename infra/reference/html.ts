import { formatCount } from '../command-line/report.ts'

/** Markup, in which all text has been escaped. A string is plain text, which is still to be escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Content = Html | string | number | readonly Content[] | undefined

interface Definition {
  readonly name: string
  readonly description: string
}

/**
 * Builds markup from a template: html`<p>${text}</p>`. Interpolated text is escaped, `Html` is inserted unchanged, a
 * list is joined, and `undefined` inserts nothing.
 */
export const html = (strings: TemplateStringsArray, ...contents: readonly Content[]): Html =>
  // String.raw puts each content between two of the strings, if these are its raw parts.
  new Html(String.raw({ raw: strings }, ...contents.map(renderContent)))

const renderContent = (content: Content): string => {
  if (content === undefined) return ''
  if (content instanceof Html) return content.markup
  if (typeof content === 'object') return content.map(renderContent).join('')
  return escapeText(String(content))
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Renders a description of the contract: passages between backticks become code. */
export const renderText = (text: string): Html => {
  // Every second part was between two backticks.
  const parts = text.trim().split('`')
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`
}

/** Renders a description of the contract as paragraphs: a blank line separates two of them. */
export const renderParagraphs = (text: string): Html =>
  html`${splitParagraphs(text).map((paragraph) => html`<p>${renderText(paragraph)}</p>`)}`

export const splitParagraphs = (text: string): readonly string[] => text.trim().split(/\n{2,}/)

/**
 * Renders code to copy. The page's script adds the button.
 *
 * @param name name of the code on the button, such as `header`
 */
export const renderCode = (name: string, text: Html | string): Html =>
  html`<div class="copyable" data-name="${name}"><pre class="code" translate="no"><code>${text}</code></pre></div>`

export interface Row {
  /** Makes the row a target of links. */
  readonly id?: string
  /** The first cell is the header of the row. */
  readonly cells: readonly [Html | string, ...(Html | string | number)[]]
}

/**
 * Renders a table. On a narrow screen the cells of a row stand below each other, and some browsers then no longer treat
 * the elements as a table. So the page's script sets their roles.
 */
export const renderTable = (id: string | undefined, columns: readonly string[], rows: readonly Row[]): Html => html`
  <table${id === undefined ? undefined : html` id="${id}"`}>
    <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
    <tbody>${rows.map(renderRow)}</tbody>
  </table>`

const renderRow = ({ id, cells: [header, ...cells] }: Row): Html => {
  const idAttribute = id === undefined ? undefined : html` id="${id}"`
  return html`<tr${idAttribute}><th scope="row">${header}</th>
      ${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
}

/** Renders names with their descriptions, such as headers. */
export const renderDefinitions = (definitions: readonly Definition[]): Html => {
  const renderDefinition = ({ name, description }: Definition): Html =>
    html`<dt><code>${name}</code></dt><dd>${renderParagraphs(description)}</dd>`

  return html`<dl>${definitions.map(renderDefinition)}</dl>`
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Formats a UTC date: `2030-12-05` becomes `5 December 2030`. */
export const formatDate = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })

/** Formats a time in its largest unit that divides it: `3600` becomes `1 hour`. */
export const formatSeconds = (seconds: number): string => {
  if (seconds % 3_600 === 0) return formatCount(seconds / 3_600, 'hour')
  if (seconds % 60 === 0) return formatCount(seconds / 60, 'minute')
  return formatCount(seconds, 'second')
}

/** Collapses white space between words, except in elements that show it: the page gets 5 KB smaller. */
export const collapseSpace = ({ markup }: Html): string => {
  // Every second part shows its white space.
  const parts = markup.split(/(<pre.*?<\/pre>|<textarea.*?<\/textarea>)/s)
  return parts.map((part, index) => (index % 2 === 0 ? part.replace(/\s+/g, ' ') : part)).join('')
}
