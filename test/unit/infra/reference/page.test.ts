/** Facts about the page that its markup shows, without a browser. */
import { createServer } from 'node:http'
import { expect, inject, it, onTestFinished } from 'vitest'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { renderChapters } from '../../../../infra/reference/markdown.ts'
import { hasCurl, hasPython, python, runCurl, runProgram } from '../../../fixtures/machine/programs.ts'
import { findSection, readCodeBlocks, readPage, readText, splitSections } from './page-text.ts'

const itWithCurl = hasCurl() ? it : it.skip

const page = await readPage()

it('each link in the page leads to an existing target', async () => {
  const links = [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => link)
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`)

  expect(ids).toHaveLength(new Set(ids).size)
  expect(ids).toEqual(expect.arrayContaining(links.filter((link) => link.startsWith('#'))))
  const otherLinks = links.filter((link) => !link.startsWith('#'))
  expect(otherLinks.length).toBeGreaterThan(5)
  for (const link of otherLinks) {
    const response = await fetch(new URL(link, inject('reference').url), { method: 'HEAD' })
    expect(response.status, link).toBe(200)
  }
})

it('each heading of a section links to its section', () => {
  const sections = splitSections(page).slice(1)
  expect(sections.length).toBeGreaterThan(15)
  for (const section of sections) {
    expect(section).toMatch(/^[^>]*\bid="([^"]+)"[^>]*>\s*<(h[23])[^>]*><a href="#\1">/)
  }
})

it('the page says which operation is deprecated and which is reserved', () => {
  expect(readText(findSection(page, 'getPet'))).toMatch(/removed on\s+5 December 2030/)
  expect(readText(findSection(page, 'listStoreOrders'))).toMatch(
    /Reserved\..*This panel is off, because the operation is reserved\./s,
  )
})

itWithCurl('the curl commands of the guide succeed unchanged', async () => {
  const guide = splitSections(page).filter((section) => !section.startsWith('class="operation"'))
  const commands = guide.flatMap(readCodeBlocks).filter((code) => code.startsWith('curl'))
  expect(commands.length).toBeGreaterThan(0)

  for (const command of commands) {
    expect(await runCurl(`${command} --silent --fail`)).toMatch(/"categoryId":\d+/)
  }
})

itWithCurl('the curl options of the guide retry a lost response and a 503', async () => {
  const [command = ''] = readText(findSection(page, 'retry')).match(/curl --retry \d+ [a-z-]+/) ?? []
  const requests = new Set<string>()
  const server = createServer(({ url = '', socket }, response) => {
    const isFirst = !requests.has(url)
    requests.add(url)
    if (!isFirst) response.end('added')
    else if (url === '/lost') socket.destroy()
    else response.writeHead(503).end()
  })
  onTestFinished(() => {
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${await listen(server, 0)}`

  const outputs = await Promise.all(
    ['/lost', '/unavailable'].map((path) => runCurl(`${command} --silent -d '{}' ${baseUrl}${path}`)),
  )

  expect(outputs).toEqual(['added', 'added'])
})

/** Reads the code of an operation in the order of the languages: curl, TypeScript and Python. */
const readOperationCode = (operationId: string) => {
  const [code = ''] = findSection(page, operationId).split('<form ')
  const [curl = '', typeScript = '', pythonCode = ''] = readCodeBlocks(code)
  return { curl, typeScript, python: pythonCode }
}

itWithCurl('the curl code of an operation succeeds unchanged', async () => {
  expect(await runCurl(`${readOperationCode('listPets').curl} --silent --fail`)).toContain('"categoryId":')
  expect(await runCurl(`${readOperationCode('createPet').curl} --silent --fail`)).toContain('"name":"Bella"')
})

it('the TypeScript code of an operation succeeds unchanged', async () => {
  const { typeScript } = readOperationCode('createPet')

  const output = await runProgram(process.execPath, ['--input-type=module', '--eval', typeScript])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

it.skipIf(!hasPython())('the Python code of an operation succeeds unchanged', async () => {
  const output = await runProgram(python, ['-c', readOperationCode('createPet').python])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

it('a placeholder of the guide without a value is refused', () => {
  expect(() => renderChapters('## Bans\n\nFor {{first-bann}}.\n', {})).toThrow('unknown placeholder first-bann')
})
