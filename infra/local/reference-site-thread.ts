import { parentPort, workerData } from 'node:worker_threads'
import { buildSite } from '../reference/site.ts'

/** The thread of `reference-site.ts`: it builds the site, sends its files and ends. */
parentPort?.postMessage(buildSite(workerData))
