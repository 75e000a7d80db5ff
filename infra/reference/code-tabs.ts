import { type Html, html, renderCode } from './html.ts'

/**
 * Renders code in several languages, one below the other. The page's script makes tabs of them, and remembers which
 * language the reader chooses.
 *
 * @param subject what the code is for, such as `listPets`
 */
export const renderCodeTabs = (subject: string, codeByLanguage: Readonly<Record<string, Html | string>>): Html => {
  const blocks = Object.entries(codeByLanguage).map(
    ([language, code]) => html`<div data-language="${language}">
          <p class="language">${language}</p>${renderCode(`${language} code for ${subject}`, code)}</div>`,
  )
  return html`<div class="tabs" data-subject="${subject}">${blocks}</div>`
}
