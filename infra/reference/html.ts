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
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`

const markupOf = (content: Content): string => {
  if (content === undefined) return ''
  if (content instanceof Html) return content.markup
  if (typeof content === 'object') return content.map(markupOf).join('')
  return String(content).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
