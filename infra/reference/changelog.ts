import { readFileSync } from 'node:fs'
import { type Html, html, renderText } from './html.ts'

const changelogFile = new URL('../../.github/CHANGELOG.md', import.meta.url)

/** Renders the releases of the changelog: headings of the second level, with lists and paragraphs below them. */
export const renderChangelog = (): Html => {
  const [, ...releases] = readFileSync(changelogFile, 'utf8').split(/^## /m)
  return html`${releases.map(renderRelease)}`
}

const renderRelease = (release: string): Html => {
  const [title = '', ...lines] = release.trim().split('\n')
  // A line that begins with spaces goes on with the item before it.
  const blocks = lines.join('\n').replace(/\n +/g, ' ').split('\n').filter(Boolean)
  const items = blocks
    .filter((block) => block.startsWith('- '))
    .map((item) => html`<li>${renderText(item.slice(2))}</li>`)
  const paragraphs = blocks.filter((block) => !block.startsWith('- '))
  const id = `changes-${title.toLowerCase().replaceAll(' ', '-')}`
  return html`<h3 id="${id}"><a href="#${id}">${title}</a></h3>
  ${paragraphs.length === 0 ? undefined : html`<p>${renderText(paragraphs.join(' '))}</p>`}
  ${items.length === 0 ? undefined : html`<ul>${items}</ul>`}`
}
