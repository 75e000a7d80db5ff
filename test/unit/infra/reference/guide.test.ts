import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { renderChapters } from '../../../../infra/reference/markdown.ts'
import { hasCurl, runCurl } from '../../../fixtures/machine/programs.ts'
import { findSection, readCodeBlocks, readPage, readText } from '../../../fixtures/reference/page-text.ts'

const itWithCurl = hasCurl() ? it : it.skip

const page = await readPage()

itWithCurl('the curl command of the first request succeeds unchanged', async () => {
  const [command = ''] = readCodeBlocks(findSection(page, 'make-a-first-request'))

  expect(await runCurl(`${command} --silent --fail`)).toMatch(/"categoryId":\d+/)
})

itWithCurl('the curl options of the guide retry a lost response and a 503', async () => {
  const [command = ''] = readText(findSection(page, 'retry')).match(/curl --retry \d+ [a-z-]+/) ?? []
  const requestedUrls = new Set<string>()
  const server = createServer(({ url = '', socket }, response) => {
    const isFirst = !requestedUrls.has(url)
    requestedUrls.add(url)
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

it('a placeholder of the guide without a value is refused', () => {
  expect(() => renderChapters('## Bans\n\nFor {{first-bann}}.\n', {})).toThrow('unknown placeholder first-bann')
})
