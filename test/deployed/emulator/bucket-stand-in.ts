/**
 * Does on the emulator what CDK's function of a `BucketDeployment` does on AWS, with the same properties: it uploads files,
 * and removes them before their bucket is deleted. That function uses the AWS CLI and boto3. The emulator has neither, so
 * the function itself is not tested.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'

interface CustomResourceEvent {
  readonly RequestType: 'Create' | 'Update' | 'Delete'
  readonly ResponseURL: string
  readonly StackId: string
  readonly RequestId: string
  readonly LogicalResourceId: string
  readonly PhysicalResourceId?: string
  readonly ResourceProperties: UploadProperties
}

interface UploadProperties {
  readonly SourceBucketNames: readonly string[]
  readonly SourceObjectKeys: readonly string[]
  readonly SourceMarkers?: readonly Readonly<Record<string, string>>[]
  readonly DestinationBucketName: string
  readonly SystemMetadata: Readonly<Record<string, string>>
}

export const handler = async (event: CustomResourceEvent): Promise<void> => {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = LogicalResourceId } = event
  const outcome = await carryOut(event).then(
    () => ({ Status: 'SUCCESS' }),
    (error: unknown) => ({ Status: 'FAILED', Reason: String(error) }),
  )
  await fetch(event.ResponseURL, {
    method: 'PUT',
    body: JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId, PhysicalResourceId }),
  })
}

const carryOut = ({ RequestType, ResourceProperties }: CustomResourceEvent): Promise<void> =>
  RequestType === 'Delete' ? empty(ResourceProperties.DestinationBucketName) : upload(ResourceProperties)

const upload = async (properties: UploadProperties): Promise<void> => {
  const { SourceBucketNames, SourceObjectKeys, SourceMarkers = [], DestinationBucketName, SystemMetadata } = properties
  for (const [index, key] of SourceObjectKeys.entries()) {
    const archive = await storage('GET', `${SourceBucketNames[index]}/${key}`)
    const folder = mkdtempSync(join(tmpdir(), 'upload-'))
    const files = join(folder, 'files')
    writeFileSync(join(folder, 'archive.zip'), Buffer.from(await archive.arrayBuffer()))
    // The emulator is a program of Python.
    execFileSync('python3', ['-m', 'zipfile', '-e', join(folder, 'archive.zip'), files])
    for (const path of readdirSync(files, { recursive: true, encoding: 'utf8' })) {
      if (!statSync(join(files, path)).isFile()) continue
      const body = replaceMarkers(readFileSync(join(files, path)), SourceMarkers[index] ?? {})
      const headers = { 'content-type': contentTypes[extname(path)] ?? 'binary/octet-stream', ...SystemMetadata }
      await storage('PUT', `${DestinationBucketName}/${path}`, { headers, body })
    }
    rmSync(folder, { recursive: true })
  }
}

/** What the AWS CLI guesses from the names. */
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

const replaceMarkers = (content: Buffer, markers: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> => {
  // Latin-1 keeps every byte as it is, in files that are no text too.
  let text = content.toString('latin1')
  for (const [marker, value] of Object.entries(markers)) text = text.replaceAll(marker, () => value)
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

const empty = async (bucket: string): Promise<void> => {
  const list = await (await storage('GET', `${bucket}?list-type=2`)).text()
  for (const [, key = ''] of list.matchAll(/<Key>([^<]+)<\/Key>/g)) await storage('DELETE', `${bucket}/${key}`)
}

/** S3 of the emulator, which asks for no signature. */
const storage = async (method: string, path: string, rest: RequestInit = {}): Promise<Response> => {
  const response = await fetch(`${process.env['AWS_ENDPOINT_URL']}/${path}`, { method, ...rest })
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
  return response
}
