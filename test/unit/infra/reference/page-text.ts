import { inject } from 'vitest'

/** Reads the markup of the reference page of the local environment, for facts that need no browser. */
export const readPage = async (): Promise<string> => {
  const response = await fetch(inject('reference').url)
  return await response.text()
}

/** Splits a page at its sections. The first part is what stands before them. */
export const splitSections = (markup: string): readonly string[] => markup.split('<section ')

/** Finds the section of a page that begins with the attributes of this id. */
export const findSection = (markup: string, id: string): string => {
  const section = splitSections(markup).find((candidate) => /^[^>]*\bid="(\w[\w-]*)"/.exec(candidate)?.[1] === id)
  if (section === undefined) throw new Error(`The page has no section ${id}.`)
  return section
}

/** Reads the text of markup: its tags are left out, and its characters are no longer escaped. */
export const readText = (markup: string): string =>
  markup.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))

/** Reads the blocks of code to copy. The address of the site stands in them, as the page's script writes it. */
export const readCodeBlocks = (markup: string): readonly string[] => {
  const { origin } = new URL(inject('reference').url)
  const withOrigin = markup.replace(/(<span class="site-url">)[^<]*/g, `$1${origin}`)
  return [...withOrigin.matchAll(/<pre class="code"><code>(.*?)<\/code>/gs)].map(([, code = '']) => readText(code))
}
