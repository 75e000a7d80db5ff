import { readFileSync } from 'node:fs'

const clients = new URL('../../../../../infra/reference/clients/', import.meta.url)

export const examples = {
  typescript: readFileSync(new URL('typescript/example.ts', clients), 'utf8'),
  python: readFileSync(new URL('python/example.py', clients), 'utf8'),
  curl: readFileSync(new URL('curl/example.sh', clients), 'utf8'),
}

export const readme = readFileSync(new URL('README.md', clients), 'utf8')

/** A code block of the README's part about exact integers. */
export const exactExample = (language: string): string =>
  new RegExp(`## Exact integers.*?\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(readme)?.[1] ?? ''

const isTitled = (paragraph: string): boolean => /^(?:\/\/|#) /.test(paragraph)

/** What all snippets of an example begin with. */
export const beginningOf = (example: string): string =>
  example
    .trimEnd()
    .split('\n\n')
    .filter((paragraph) => !isTitled(paragraph))
    .map((paragraph) => `${paragraph}\n\n`)
    .join('')

/** The snippets of an example by title, each a whole program: what all begin with, and a paragraph with its title as a comment. */
export const snippetsOf = (example: string): ReadonlyMap<string, string> => {
  const paragraphs = example.trimEnd().split('\n\n')
  const beginning = beginningOf(example)
  return new Map(
    paragraphs
      .filter(isTitled)
      .map((paragraph) => [
        paragraph.slice(0, paragraph.indexOf('\n')).replace(/^\S+ /, ''),
        `${beginning}${paragraph}\n`,
      ]),
  )
}
