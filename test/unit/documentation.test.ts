import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../infra/app.ts'
import testConfiguration from '../vitest.config.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'))

const projects = (testConfiguration.test?.projects ?? []).map((project) =>
  typeof project === 'object' && 'test' in project ? project.test?.name : undefined,
)

const documents = globSync(['*.md', '.github/**/*.md', '{shared,functions,infra,test}/**/*.md'], { cwd: root }).sort()

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (text: string, level = '#{1,6}'): readonly string[] =>
  [...withoutCode(text).matchAll(new RegExp(`^${level} (.*)$`, 'gm'))].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '')

const linksOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))

/** Whether a relative link of a document leads to a file or folder, and to a heading of it where it names one. */
const leadsSomewhere = (document: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || (statSync(join(root, target)).isFile() && anchorsOf(read(target)).includes(anchor))
}

/** Paths from the root of the repository, in prose, code and commands. `<name>` stands for any name. */
const pathsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w./<>-])(?:shared|functions|infra|test|\.ci|\.github)\/[\w./<>-]*[\w/>]/g)].map(
    ([path]) => path,
  )

/** Files of the sources in code spans that are no links, by their name or path. */
const filesOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/(?<!\[)`([\w./-]+\.(?:ts|py|sh|svg|css))`/g)].map(([, file = '']) => file)

const exists = (path: string): boolean =>
  path.includes('<')
    ? globSync(path.replaceAll(/<[\w-]+>/g, '*'), { cwd: root }).length > 0
    : existsSync(join(root, path))

/** Such as `npm run keys -- list --env local`: the script and what follows it. */
const commandsOf = (text: string): readonly { readonly script: string; readonly words: string }[] =>
  [...text.matchAll(/npm (?:run (?:--silent )?([\w:]+)|(start|test)(?!\w))((?: -- [^\n`|]*)?)/g)].map(
    ([, run, short = '', words = '']) => ({ script: run ?? short, words }),
  )

const usages = new Map<string, Promise<string>>()

/**
 * What `--help` of a script prints, or of one of its actions, such as `issue`. Every script that takes options of ours is
 * a file that Node runs.
 */
const usageOf = (script: string, words: string): Promise<string> => {
  const [, action] = /^ -- ([a-z]+)/.exec(words) ?? []
  const command = [
    /^node infra\/launch\.cjs (\S+)$/.exec(scripts[script] ?? '')?.[1] ?? 'package.json',
    ...(action === undefined ? [] : [action]),
  ]
  const ask = () => promisify(execFile)(process.execPath, [...command, '--help'], { cwd: root })
  const usage = usages.get(command.join(' ')) ?? ask().then(({ stdout }) => stdout)
  usages.set(command.join(' '), usage)
  return usage
}

it('the documents are found', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', '.github/CONTRIBUTING.md', 'infra/README.md']))
})

describe.each(documents)('%s', (document) => {
  const text = read(document)

  it('links to what exists', () => {
    expect(linksOf(text).filter((link) => !leadsSomewhere(document, link))).toEqual([])
  })

  it('begins with links to its sections, where it is longer than 40 lines', () => {
    const [beginning = ''] = text.split('\n## ')
    const missing = anchorsOf(text, '##').filter((anchor) => !linksOf(beginning).includes(`#${anchor}`))
    expect(text.split('\n').length > 40 ? missing : []).toEqual([])
  })

  it('names paths and files that exist', () => {
    expect(pathsOf(text).filter((path) => !exists(path))).toEqual([])
    expect(filesOf(text).filter((file) => !exists(file) && !exists(join(dirname(document), file)))).toEqual([])
  })

  it('names scripts of package.json and projects of the tests', () => {
    const named = commandsOf(text)
    expect(named.map(({ script }) => script).filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
    const namedProjects = [...text.matchAll(/--project (\w+)/g)].map(([, name]) => name)
    expect(namedProjects.filter((name) => !projects.includes(name))).toEqual([])
  })

  it('gives commands options that they have', async () => {
    const given = commandsOf(text).flatMap(({ script, words }) =>
      [...words.matchAll(/ (--\w[\w-]*)/g)].map(([, option = '']) => ({ script, words, option })),
    )
    const checked = given.filter(({ script, option }) => !script.startsWith('test') && option !== '--help')
    const unknown = checked.map(async ({ script, words, option }) => {
      const isKnown = new RegExp(`${option}(?![\\w-])`).test(await usageOf(script, words))
      return isKnown ? [] : [`${script} ${option}`]
    })
    expect((await Promise.all(unknown)).flat()).toEqual([])
  })

  it('sets options of the environments that they have, to values that they take', () => {
    for (const [, key = '', value] of text.matchAll(/-c ([\w.]+)=([^\s`]+)/g)) {
      expect(() => createApp({ configs: {}, context: { [key]: value } })).not.toThrow()
    }
  })
})
