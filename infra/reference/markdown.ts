import { Marked, type Tokens } from 'marked'
import { Html, html, renderCode, renderTable } from './html.ts'

/** A chapter of a Markdown text: a heading of the second level, and the text up to the next one. */
export interface Chapter {
  /** The heading in small letters with hyphens, as in links to headings on GitHub. */
  readonly id: string
  readonly title: string
  readonly content: Html
}

/** Markup by the names of placeholders, such as `{{base-url}}`. */
export type Placeholders = Readonly<Record<string, Html | undefined>>

/** Returns the id of a heading, as GitHub has it. These texts have headings without punctuation, which GitHub drops. */
export const createId = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

/** Renderer of this project's Markdown: code can be copied, and tables and headings look like those of the page. */
const marked = new Marked({
  renderer: {
    code: ({ text, lang = 'code' }: Tokens.Code) => renderCode(lang, text).markup,
    heading({ tokens, text }: Tokens.Heading) {
      const id = createId(text)
      return `<h3 id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h3>`
    },
    table({ header, rows }: Tokens.Table) {
      const parse = (cell: Tokens.TableCell) => new Html(this.parser.parseInline(cell.tokens))
      const renderedRows = rows.map(([first, ...others]) => ({
        cells: [first === undefined ? '' : parse(first), ...others.map(parse)] as const,
      }))
      return renderTable(
        undefined,
        header.map(({ text }) => text),
        renderedRows,
      ).markup
    },
  },
})

/**
 * Renders the chapters of a Markdown text. The text before the first one is left out.
 *
 * @throws Error if a placeholder of the text has no markup
 */
export const renderChapters = (text: string, placeholders: Placeholders): readonly Chapter[] => {
  const [, ...chapters] = text.split(/^## /m)
  return chapters.map((chapter) => {
    const end = chapter.indexOf('\n')
    const title = chapter.slice(0, end)
    return { id: createId(title), title, content: renderMarkdown(chapter.slice(end), placeholders) }
  })
}

/** Renders Markdown. Where a placeholder is a whole paragraph, its markup replaces the `<p>` too. */
const renderMarkdown = (text: string, placeholders: Placeholders): Html => {
  const markup = marked.parse(text, { async: false })
  const filled = markup.replace(/<p>\{\{([\w-]+)\}\}<\/p>|\{\{([\w-]+)\}\}/g, (_match, block, word) => {
    const name: string = block ?? word
    if (!(name in placeholders)) throw new Error(`The guide has the unknown placeholder ${name}.`)
    return html`${placeholders[name]}`.markup
  })
  return new Html(filled)
}
