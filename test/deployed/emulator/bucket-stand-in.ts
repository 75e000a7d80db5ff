/**
 * Does on the emulator what CDK's function of a `BucketDeployment` does on AWS, with the same properties: it uploads files,
 * and removes them before their bucket is deleted. That function uses the AWS CLI and boto3. The emulator has neither, so
 * the function itself is not tested.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'

interface CustomResourceEvent {
  readonly RequestType: 'Create' | 'Update' | 'Delete'
  readonly ResponseURL: string
  readonly LogicalResourceId: string
  readonly ResourceProperties: UploadProperties
}

interface UploadProperties {
  readonly SourceBucketNames: readonly string[]
  readonly SourceObjectKeys: readonly string[]
  readonly SourceMarkers?: readonly Readonly<Record<string, string>>[]
  readonly DestinationBucketName: string
  readonly SystemMetadata: Readonly<Record<string, string>>
}

export const handler = async ({ RequestType, ResourceProperties, ...event }: CustomResourceEvent): Promise<void> => {
  const outcome = await (RequestType === 'Delete' ? empty : upload)(ResourceProperties).then(
    () => ({ Status: 'SUCCESS' }),
    (error: unknown) => ({ Status: 'FAILED', Reason: String(error) }),
  )
  const body = JSON.stringify({ PhysicalResourceId: event.LogicalResourceId, ...event, ...outcome })
  await fetch(event.ResponseURL, { method: 'PUT', body })
}

const upload = async (properties: UploadProperties): Promise<void> => {
  const { SourceBucketNames, SourceObjectKeys, SourceMarkers = [], DestinationBucketName, SystemMetadata } = properties
  for (const [index, key] of SourceObjectKeys.entries()) {
    const folder = mkdtempSync(join(tmpdir(), 'upload-'))
    const [archive, files] = [join(folder, 'archive.zip'), join(folder, 'files')]
    writeFileSync(archive, await (await storage('GET', `${SourceBucketNames[index]}/${key}`)).bytes())
    // The emulator is a program of Python.
    execFileSync('python3', ['-m', 'zipfile', '-e', archive, files])
    for (const entry of readdirSync(files, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const markers = Object.entries(SourceMarkers[index] ?? {})
      // Every file is text.
      const body = markers.reduce(
        (text, [marker, value]) => text.replaceAll(marker, () => value),
        readFileSync(path, 'utf8'),
      )
      const headers = { 'content-type': contentTypes[extname(path)] ?? 'binary/octet-stream', ...SystemMetadata }
      await storage('PUT', DestinationBucketName + path.slice(files.length), { headers, body })
    }
    rmSync(folder, { recursive: true })
  }
}

/** What the AWS CLI guesses from the names. */
const contentTypes: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' },
  ...{ '.json': 'application/json', '.svg': 'image/svg+xml' },
}

const empty = async ({ DestinationBucketName: bucket }: UploadProperties): Promise<void> => {
  const list = await (await storage('GET', `${bucket}?list-type=2`)).text()
  for (const [, key = ''] of list.matchAll(/<Key>([^<]+)<\/Key>/g)) await storage('DELETE', `${bucket}/${key}`)
}

/** S3 of the emulator, which asks for no signature. */
const storage = async (method: string, path: string, rest: RequestInit = {}): Promise<Response> => {
  const response = await fetch(`${process.env['AWS_ENDPOINT_URL']}/${path}`, { method, ...rest })
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
  return response
}
